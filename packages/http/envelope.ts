import * as z from 'zod/mini'
import type { Failure, FailureKind } from '#kernel/failure.ts'
import { failureCodes } from '#kernel/failure.ts'

/** The one table from what went wrong to the status it is answered with. */
export const statusOf: Record<FailureKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  range_not_satisfiable: 416,
  unsupported_media: 415,
  unprocessable: 422,
  rate_limited: 429,
  upstream: 502,
  unavailable: 503,
}

/** The body of every error answer, whoever produced it (G1). */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.enum(failureCodes),
      message: z.string(),
      request_id: z.string(),
      details: z
        .optional(z.array(z.object({ path: z.string(), message: z.string() })))
        .register(z.globalRegistry, { description: 'For validation failures: each fault with its place.' }),
    }),
  })
  .register(z.globalRegistry, { id: 'Error', description: 'What every refused or failed request answers.' })

export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>

/** The envelope of a failure, ready to be sent. */
export function envelope(
  failure: Pick<Failure, 'code' | 'message' | 'details'>,
  requestId: string,
): ErrorEnvelope {
  const { code, message, details } = failure
  return { error: { code, message, request_id: requestId, ...(details && { details }) } }
}
