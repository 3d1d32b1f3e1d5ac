import * as z from 'zod'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'

export const beaDraftStatuses = ['draft', 'sending', 'sent', 'failed', 'unknown'] as const

/** A message that is written, or on its way (B7). */
export const BeaDraft = z
  .object({
    id: Text,
    account_id: Text,
    to: z.array(z.object({ name: Text, bea_id: Text })),
    subject: Text,
    body: Text,
    attachments: z.array(Text).meta({ description: 'Ids of documents.' }),
    reference_sender: NullableText,
    reference_recipient: NullableText,
    eeb_requested: z.boolean(),
    case_id: z.uuid().nullable(),
    status: z.enum(beaDraftStatuses),
    message_id: NullableText.meta({ description: 'The sent message, once it is imported with its proof.' }),
    error: NullableText,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'BeaDraft' })

export type BeaDraft = z.infer<typeof BeaDraft>
