import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Failure } from '#kernel/failure.ts'
import type { Endpoint } from './endpoint.ts'
import type { FormFields } from './form-fields.ts'
import type { IgnoredField } from './ignored-fields.ts'

/** The data about a request that is known so far, for the log and for error pages. */
export type Progress = {
  startedAt: number
  endpoint?: Endpoint<never>
  workspaceId?: string
  userId?: string
  /** The result of a credential's `verify`, if the endpoint takes a credential instead of an API key. */
  holder?: unknown
  fields?: FormFields
  /** Headers of the answer, whether it is a success or an error. */
  headers?: Record<string, string>
  /** The fields of the body that were not read (G15). */
  ignored?: readonly IgnoredField[]
  /** Makes the failure that is answered when the time limit of the request has passed. */
  tooLate?: () => Failure
}

/** Keyed by event, because middy passes only the event and the context to its handler. */
const known = new WeakMap<APIGatewayProxyEvent, Progress>()

export function progressOf(event: APIGatewayProxyEvent): Progress {
  const progress = known.get(event) ?? { startedAt: performance.now() }
  known.set(event, progress)
  return progress
}
