import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Failure } from '#kernel/failure.ts'
import type { Endpoint } from './endpoint.ts'
import type { FormFields } from './form-fields.ts'
import type { IgnoredField } from './ignored-fields.ts'

/** The facts about a request that are known so far, for the log and for error pages. */
export type Progress = {
  startedAt: number
  endpoint?: Endpoint<never>
  workspaceId?: string
  userId?: string
  /** The actor, if a credential other than an API key was used. */
  holder?: unknown
  fields?: FormFields
  /** Headers that the answer has, whatever it is. */
  headers?: Record<string, string>
  /** The places of the body that were not read (G15). */
  ignored?: readonly IgnoredField[]
  /** The failure to answer with when the time limit of the request has passed. */
  tooLate?: () => Failure
}

/** Keyed by event, because middy passes only the event and the context to its handler. */
const known = new WeakMap<APIGatewayProxyEvent, Progress>()

export function progressOf(event: APIGatewayProxyEvent): Progress {
  const progress = known.get(event) ?? { startedAt: performance.now() }
  known.set(event, progress)
  return progress
}
