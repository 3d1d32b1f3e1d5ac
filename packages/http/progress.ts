import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Failure } from '#kernel/failure.ts'
import type { Endpoint } from './endpoint.ts'
import type { FormFields } from './form-fields.ts'

/** What is known of a request so far: for the log, and for the page that says what is wrong with it. */
export type Progress = {
  startedAt: number
  endpoint?: Endpoint<never>
  workspaceId?: string
  userId?: string
  fields?: FormFields
  /** The failure to answer with when the time limit of the request has passed. */
  tooLate?: () => Failure
}

/** Middy gives its handler the event and the context alone, so what is learnt of a request hangs on its event. */
const known = new WeakMap<APIGatewayProxyEvent, Progress>()

export function progressOf(event: APIGatewayProxyEvent): Progress {
  const progress = known.get(event) ?? { startedAt: performance.now() }
  known.set(event, progress)
  return progress
}
