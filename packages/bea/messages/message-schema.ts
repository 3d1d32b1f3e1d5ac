import * as z from 'zod'
import { idFilter, idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { pageQuery } from '#kernel/page.ts'
import { NullableText, Text, Timestamp, text } from '#kernel/text.ts'
import { fileNameKey } from '../drafts/file-names.ts'
import { judiciarySafeIds, olderSafeIds } from '../network/safeid-schema.ts'

/** The sender or a recipient of a message. */
export const BeaAddress = namedObject('BeaAddress', () => ({ name: NullableText, bea_id: NullableText }))

export type BeaAddress = z.infer<typeof BeaAddress>

const courtSafeId = new RegExp(`^(${judiciarySafeIds}|${olderSafeIds})`, 'i')

/**
 * Whether a SAFE-ID may belong to a court: `DE.Justiz.…` (`DE.Justiztest.…` in the test network), or one of the older
 * forms `govello-…` and `safe-sp1-…`, which many courts still have. Authorities and citizens may have ids of all these
 * forms.
 */
export function isCourt(safeId: string): boolean {
  return courtSafeId.test(safeId)
}

export const BeaAttachment = namedObject('BeaAttachment', () => ({
  id: shownId('beaAttachment'),
  filename: Text,
  type: NullableText.meta({
    description: 'The type that the network gives, such as `SCHRIFTSATZ` or `ATTACHMENT`.',
  }),
  mime_type: Text,
  size_bytes: z.int(),
  document_id: shownId('document')
    .nullable()
    .meta({ description: 'Its document, once the message is filed; null for a confidential message.' }),
}))

export type BeaAttachment = z.infer<typeof BeaAttachment>

/** A larger file cannot be the text of a message, which has at most 100 000 characters. */
const maxTextFileBytes = 4 * 1024 * 1024

/**
 * The file with the text of a message, `Nachrichtentext.pdf`: newer messages may have their text only there. In a message
 * of a notary's postbox (beN) it is `Nachrichtentext-beN.pdf`. Others may attach that file to what they forward. So it
 * counts only in a received message without `Nachrichtentext.pdf`. Undefined if there is none, or if it is empty or too
 * large.
 */
export function textFileOf<File extends { filename: string; size_bytes: number }>(message: {
  direction: 'inbound' | 'outbound'
  attachments: File[]
}): File | undefined {
  const { direction, attachments } = message
  const named = (name: string) =>
    attachments.find(
      ({ filename, size_bytes }) =>
        fileNameKey(filename) === name && size_bytes > 0 && size_bytes <= maxTextFileBytes,
    )
  return (
    named('nachrichtentext.pdf') ?? (direction === 'inbound' ? named('nachrichtentext-ben.pdf') : undefined)
  )
}

const eebStatuses = ['requested', 'sending', 'confirmed', 'rejected', 'failed', 'unknown'] as const

/** The electronic receipt that the sender of a message asks for (B9). */
export const BeaEeb = namedObject('BeaEeb', () => ({
  status: z.enum(eebStatuses),
  date: z.iso.date().nullable().meta({ description: 'The day of receipt that was confirmed.' }),
  error: Text.optional().meta({ description: 'Only for `failed`: why the answer was not sent.' }),
}))

export type BeaEeb = z.infer<typeof BeaEeb>

/** A message of a connected postbox, imported from the network or sent by us (B6). */
export const BeaMessage = namedObject('BeaMessage', () => ({
  id: shownId('beaMessage'),
  account_id: shownId('beaAccount'),
  folder: Text.meta({ description: 'INBOX, SENT, …; the name of a custom folder.' }),
  direction: z.enum(['inbound', 'outbound']),
  subject: NullableText.meta({ description: 'Null if the right to open the message is missing.' }),
  body: NullableText.meta({
    description: 'Null in a list, or if the right to open the message is missing.',
  }),
  sender: BeaAddress,
  recipients: z.array(BeaAddress),
  received_at: Timestamp.nullable(),
  sent_at: Timestamp.nullable(),
  reference_sender: NullableText,
  reference_recipient: NullableText,
  confidential: z.boolean(),
  eeb_requested: z.boolean(),
  eeb: BeaEeb.nullable(),
  attachments: z.array(BeaAttachment),
  size_bytes: z.int().meta({ description: 'The size of all attachments.' }),
  receipt: z.object({ delivered_at: Timestamp.nullable(), status: NullableText }).nullable().meta({
    description:
      'The acknowledgement of a sent message: when it reached the postbox of the recipient, and the network’s status. Null until there is one.',
  }),
  case_id: z.uuid().nullable(),
  filing: z.boolean().meta({
    description:
      'A message with many attachments is being filed: some attachments are not documents of its case yet.',
  }),
  party_id: shownId('party').nullable(),
  purge_at: Timestamp.nullable().meta({
    description: 'When the network deletes it: 120 days after its reception.',
  }),
  imported_at: Timestamp,
}))

export type BeaMessage = z.infer<typeof BeaMessage>

const yesOrNo = z.lazy(() => z.enum(['true', 'false']).transform((value) => value === 'true'))

export const BeaMessageQuery = lazyObject(() => ({
  ...pageQuery,
  account_id: idFilter('beaAccount').optional(),
  folder: z.string().min(1).max(500).optional(),
  case_id: idFilter('case').optional(),
  direction: z.enum(['inbound', 'outbound']).optional(),
  search: text(200).optional().meta({
    description: 'All words must be in the subject, the names of sender and recipients, or the references.',
  }),
  unassigned: yesOrNo.optional().meta({ description: '`true`: only messages in no case.' }),
}))

export type BeaMessageQuery = z.infer<typeof BeaMessageQuery>

/** The case and the party of a message. Only included fields change, and `null` clears. */
export const BeaAssignment = z.lazy(() =>
  z
    .object({ case_id: idOf('case').nullish(), party_id: idOf('party').nullish() })
    .refine(
      ({ case_id, party_id }) => case_id !== undefined || party_id !== undefined,
      'Name `case_id` or `party_id`.',
    )
    .meta({ id: 'BeaAssignment', minProperties: 1 }),
)

export type BeaAssignment = z.infer<typeof BeaAssignment>

/** A synchronisation that is under way (B5). */
export const BeaRunningSync = namedObject('BeaRunningSync', () => ({
  account_id: shownId('beaAccount'),
  status: z.literal('running'),
  started_at: Timestamp,
}))

export type BeaRunningSync = z.infer<typeof BeaRunningSync>

/** The fields of a notice that quote its message, when it quotes nothing any more. */
export const quotingNothing = {
  subject: '',
  sender: { name: null, bea_id: null },
  recipients: [],
  reference_sender: null,
  reference_recipient: null,
}
