import * as z from 'zod'
import { failureCodes } from '#kernel/failure.ts'
import { shownId } from '#kernel/id.ts'
import { Text } from '#kernel/text.ts'

/** A time with the offset of the workspace's time zone (G6). */
const localTime = z.iso.datetime({ offset: true })

/** The body of every error answer, from the functions and from the gateway (G1). */
export const ErrorEnvelope = z
  .object({
    error: z.object({
      code: z.enum(failureCodes),
      message: Text,
      request_id: Text,
      details: z
        .array(
          z.object({
            path: Text,
            message: Text,
            user_id: shownId('user')
              .optional()
              .meta({ description: 'Only with `SLOT_CONFLICT`: the user who has the other event.' }),
            event_id: shownId('event')
              .optional()
              .meta({ description: 'Only with `SLOT_CONFLICT`: the other event.' }),
            start: localTime.optional().meta({
              description: 'Only with `SLOT_CONFLICT`: the start of the other event.',
            }),
            end: localTime.optional().meta({
              description: 'Only with `SLOT_CONFLICT`: the end of the other event.',
            }),
          }),
        )
        .optional()
        .meta({ description: 'Each fault of the input, or each thing that is missing, with its place.' }),
      cases: z
        .array(z.object({ id: shownId('case'), file_number: Text }))
        .optional()
        .meta({ description: 'Only with `PARTY_IN_USE`: up to ten of the cases that name the party.' }),
    }),
  })
  .meta({ id: 'Error', description: 'The answer to every refused or failed request.' })

export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>
