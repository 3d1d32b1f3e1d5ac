import * as z from 'zod/mini'
import { failureCodes } from '#kernel/failure.ts'
import { Text } from '#kernel/text.ts'

/** The body of every error answer, whoever produced it (G1). */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.enum(failureCodes),
      message: Text,
      request_id: Text,
      details: z
        .optional(z.array(z.object({ path: Text, message: Text })))
        .register(z.globalRegistry, { description: 'For validation failures: each fault with its place.' }),
    }),
  })
  .register(z.globalRegistry, { id: 'Error', description: 'What every refused or failed request answers.' })

export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>
