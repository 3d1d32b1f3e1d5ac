import * as z from 'zod'
import { idFilter, idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { pageQuery } from '#kernel/page.ts'
import { line, NullableText, Text, Timestamp, text } from '#kernel/text.ts'

const beaDraftStatuses = ['draft', 'sending', 'sent', 'failed', 'unknown'] as const

/** The possible differences between a message in the postbox and the sent one. */
const beaDifferences = [
  'subject',
  'recipients',
  'sent_at',
  'reference_sender',
  'reference_recipient',
  'body',
  'attachments',
] as const

export type BeaDifference = (typeof beaDifferences)[number]

/** A message in the postbox that may be the sent message of a draft with an unknown outcome (B7), without content (B8). */
export const BeaSimilarMessage = namedObject('BeaSimilarMessage', () => ({
  message_id: shownId('beaMessage').nullable().meta({ description: 'Null if it is not imported yet.' }),
  folder: Text.meta({ description: 'SENT, OUTBOX, TRASH, …; the name of a custom folder.' }),
  sent_at: Timestamp.nullable(),
  differences: z.array(z.enum(beaDifferences)).meta({
    description: 'The fields that differ from the draft, or are missing.',
  }),
  is_compared: z.boolean().meta({
    description: 'False if only its entry in the folder was compared, without body and files.',
  }),
}))

export type BeaSimilarMessage = z.infer<typeof BeaSimilarMessage>

/** A message that is being written or sent, or was sent (B7). */
export const BeaDraft = namedObject('BeaDraft', () => ({
  id: shownId('beaDraft'),
  account_id: shownId('beaAccount'),
  to: z.array(z.object({ name: Text, bea_id: Text })),
  subject: Text,
  body: Text,
  attachments: z.array(Text).meta({ description: 'Ids of documents.' }),
  reference_sender: NullableText,
  reference_recipient: NullableText,
  eeb_requested: z.boolean(),
  case_id: z.uuid().nullable(),
  status: z.enum(beaDraftStatuses),
  message_id: shownId('beaMessage')
    .nullable()
    .meta({ description: 'The sent message, once it is imported with its proof.' }),
  error: NullableText.meta({ description: 'Why it was not sent, or why its outcome is unknown.' }),
  similar_messages: z.array(BeaSimilarMessage).meta({
    description:
      'For the status `unknown`: at most 10 messages in the postbox that may be the sent one, the most similar first. A person opens them and decides whether the draft was sent.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}))

export type BeaDraft = z.infer<typeof BeaDraft>

/** A draft in a list: without its body. */
export const BeaDraftSummary = z.lazy(() =>
  BeaDraft.unwrap().omit({ body: true }).meta({ id: 'BeaDraftSummary' }),
)

export type BeaDraftSummary = z.infer<typeof BeaDraftSummary>

/** The maximum number of characters of a body. */
const maxBody = 100_000

/** The limits of a stored draft. A send has other limits (`preflight.ts`). */
const maxRecipients = 100
const maxAttachments = 2_000

export const BeaDraftInput = namedObject('BeaDraftInput', () => ({
  account_id: idOf('beaAccount'),
  to: z
    .array(z.object({ name: text(500).nullable().default(null), bea_id: line(200) }))
    .max(maxRecipients)
    .nullish(),
  subject: text(500).nullish(),
  body: text(maxBody).nullish(),
  attachments: z
    .array(idOf('document'))
    .max(maxAttachments)
    .nullish()
    .meta({ description: 'Ids of documents; the first is the pleading.' }),
  reference_sender: text(200).nullish().meta({ description: 'Your file number.' }),
  reference_recipient: text(200).nullish().meta({
    description: 'The file number of the recipient, for instance of the court.',
  }),
  eeb_requested: z.boolean().nullish().meta({
    description: 'Asks the recipient for an electronic receipt.',
  }),
  case_id: idOf('case').nullish(),
}))

export type BeaDraftInput = z.infer<typeof BeaDraftInput>

/** Changes of a draft: only fields that are included; `null` clears. */
export const BeaDraftChanges = z.lazy(() =>
  BeaDraftInput.unwrap().partial({ account_id: true }).meta({ id: 'BeaDraftChanges' }),
)

export type BeaDraftChanges = z.infer<typeof BeaDraftChanges>

export const BeaDraftQuery = lazyObject(() => ({
  ...pageQuery,
  account_id: idFilter('beaAccount').optional(),
  case_id: idFilter('case').optional(),
  status: z.enum(beaDraftStatuses).optional(),
}))

export type BeaDraftQuery = z.infer<typeof BeaDraftQuery>

export const BeaSendInput = z.lazy(() =>
  z
    .object({
      rename: z.boolean().nullable().default(null).meta({
        description: 'Corrects file names that the network refuses; the documents keep their names.',
      }),
    })
    .meta({ id: 'BeaSendInput' })
    // A send request may have no body.
    .prefault({}),
)

export type BeaSendInput = z.infer<typeof BeaSendInput>

/** The decision of a person about a send whose outcome is unknown. */
export const BeaResolveInput = namedObject('BeaResolveInput', () => ({
  outcome: z.enum(['sent', 'not_sent']),
}))

export type BeaResolveInput = z.infer<typeof BeaResolveInput>
