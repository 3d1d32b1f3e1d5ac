import * as z from 'zod'
import { idFilter, idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { orDefault } from '#kernel/or-default.ts'
import { pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { NullableText, Text, Timestamp, text } from '#kernel/text.ts'
import { updatedSince } from '#kernel/updated-since.ts'
import { Triage } from '#triage/schema.ts'
import { lineBreak, mailAddressText } from './address-schema.ts'

/** The maximum number of recipients of a mail, over `to`, `cc` and `bcc` together (M3). */
export const maxRecipients = 50

/** The maximum size of the body of a mail, in bytes of UTF-8 (M3). */
export const maxBodyBytes = 1024 * 1024

/** The maximum size of all attachments of a mail, in bytes (M3). SES accepts 10 MiB for the encoded message. */
export const maxAttachmentBytes = 6 * 1024 * 1024

/** The maximum number of attachments of a mail. */
export const maxAttachments = 100

/** How long the link in a mail opens its documents (M3). */
export const sharedLinkDays = 30

/** How long the idempotency key of a send is remembered (M1). */
export const sendKeyDays = 30

/** If no event comes within this time, a send with an unknown outcome counts as failed (M5). */
const unknownOutcomeMinutes = 10

/** The time from which a send that began at `since` is lost, if its outcome is still unknown (M5). */
export function lostFrom(since: string): Date {
  return new Date(Date.parse(since) + unknownOutcomeMinutes * 60_000)
}

const addresses = z.lazy(() => z.array(mailAddressText).max(maxRecipients, `At most ${maxRecipients}.`))

/** The maximum number of characters in a subject (M3). */
export const maxSubjectLength = 998

/** A subject: one line. It may be empty, because a draft may have no subject. */
const subject = z.lazy(() =>
  z
    .string()
    .check((context) => {
      if (lineBreak.test(context.value)) refuse(context, 'A line break is not allowed here.')
    })
    .pipe(text(maxSubjectLength))
    .meta({ maxLength: maxSubjectLength }),
)

/** The HTML of a body. The use cases check `maxBodyBytes` and clean it. */
const bodyHtml = z.lazy(() =>
  z
    .string()
    .check((context) => {
      if (!context.value.isWellFormed()) refuse(context, 'This is not valid Unicode text.')
    })
    .meta({ description: 'At most 1 MiB of HTML. Scripts and event handlers are removed.' }),
)

/** A document id, or an object with `document_id`, as in a draft. */
const attachment = z.lazy(() =>
  z
    .union([idOf('document'), z.object({ document_id: idOf('document') })])
    .transform((value) => (typeof value === 'string' ? value : value.document_id)),
)

const attachments = z.lazy(() =>
  z
    .array(attachment)
    .max(maxAttachments, `At most ${maxAttachments}.`)
    .transform((ids) => [...new Set(ids)])
    .meta({ description: 'Ids of documents; together at most 6 MiB unless they are sent as links.' }),
)

const attachmentsAs = z.lazy(() =>
  z.enum(['files', 'links']).meta({
    description: '`links`: the mail contains links instead of the files. They are valid for 30 days.',
  }),
)

const status = z.enum(['draft', 'sending', 'sent', 'failed'])

/** A mail that is being written (M2). */
export const Draft = namedObject('Draft', () => ({
  id: shownId('draft'),
  to: z.array(Text),
  cc: z.array(Text),
  bcc: z.array(Text),
  subject: Text,
  body_html: Text,
  attachments: z.array(z.object({ document_id: shownId('document'), filename: Text })),
  attachments_as: attachmentsAs,
  case_id: z.uuid().nullable(),
  in_reply_to: NullableText.meta({ description: 'The `Message-ID` of the mail to which it replies.' }),
  warnings: z.array(Text).meta({
    description:
      'Only for replies: a warning if `Reply-To` is an address of another organisation than the sender’s. Empty after `to` is changed.',
  }),
  status,
  created_at: Timestamp,
  updated_at: Timestamp,
}))

export type Draft = z.infer<typeof Draft>

/** A draft in a list: without its body. */
export const DraftSummary = z.lazy(() =>
  Draft.unwrap().omit({ body_html: true }).meta({ id: 'DraftSummary' }),
)

export type DraftSummary = z.infer<typeof DraftSummary>

const draftFields = {
  to: addresses,
  cc: addresses,
  bcc: addresses,
  subject,
  body_html: bodyHtml,
  case_id: idOf('case').nullable(),
  attachments,
  attachments_as: attachmentsAs,
}

/**
 * The fields of a draft, all optional. In a new draft null means that a field is missing. In a change it clears the
 * field (G8).
 */
export const DraftInput = namedObject('DraftInput', () => ({
  to: draftFields.to.nullish(),
  cc: draftFields.cc.nullish(),
  bcc: draftFields.bcc.nullish(),
  subject: draftFields.subject.nullish(),
  body_html: draftFields.body_html.nullish(),
  case_id: draftFields.case_id.optional(),
  attachments: draftFields.attachments.nullish(),
  attachments_as: draftFields.attachments_as.nullish(),
}))

export type DraftInput = z.infer<typeof DraftInput>

/** A direct send. `to_recipients` or `to` shows which of its two shapes it has (M1). */
export const DirectSendInput = namedObject('DirectSendInput', () => ({
  idempotency_key: z
    .uuid('This is not a UUID.')
    .transform((key) => key.toLowerCase())
    .nullish()
    .meta({
      description: 'A new one for each send, and the same for its retries. Required with `to_recipients`.',
    }),
  to_recipients: addresses.nullish(),
  cc_recipients: addresses.nullish(),
  bcc_recipients: addresses.nullish(),
  to: addresses.nullish(),
  cc: addresses.nullish(),
  bcc: addresses.nullish(),
  subject: subject.nullish(),
  body_html: bodyHtml.nullish(),
  case_id: idOf('case').nullish(),
  attachments: attachments.nullish(),
  attachments_as: attachmentsAs.nullish(),
}))

export type DirectSendInput = z.infer<typeof DirectSendInput>

/** The answer to the send of a draft, and to a direct send with `to_recipients`. */
export const SendResult = namedObject('SendResult', () => ({
  success: z.boolean(),
  email_id: z.uuid().meta({ description: 'The UUID of the correspondence.' }),
  message_id: z.string().meta({ description: 'The message id of the mail provider.' }),
  sent_at: Timestamp,
}))

export type SendResult = z.infer<typeof SendResult>

/** The answer to a direct send with `to`. */
export const SentCorrespondence = namedObject('SentCorrespondence', () => ({
  id: shownId('correspondence'),
  direction: z.literal('outbound'),
  status: z.literal('sent'),
  sent_at: Timestamp,
}))

export type SentCorrespondence = z.infer<typeof SentCorrespondence>

/** A link in a mail that we sent. Everybody who knows its address can fetch its documents. */
export const SharedLinkSummary = namedObject('SharedLink', () => ({
  id: shownId('sharedLink'),
  correspondence_id: shownId('correspondence').meta({ description: 'The mail that contains the link.' }),
  case_id: z.uuid().nullable().meta({ description: 'The case of the mail when it was sent.' }),
  documents: z
    .array(z.object({ document_id: shownId('document'), filename: Text }))
    .meta({ description: 'The documents that the link opens now.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
}))

export type SharedLinkSummary = z.infer<typeof SharedLinkSummary>

/** The delivery of a mail to one recipient, as the provider's events report it (M6). */
export const Delivery = namedObject('Delivery', () => ({
  email: Text,
  status: z.enum(['delivered', 'delayed', 'bounced', 'complained']),
  at: Timestamp,
  reason: NullableText,
}))

export type Delivery = z.infer<typeof Delivery>

const direction = z.enum(['outbound', 'inbound'])

const verdict = z.enum(['pass', 'fail', 'gray', 'unknown'])

/** The results of the checks of the receiving mail service. `unknown` if it did not check. */
export const Verdicts = namedObject('MailVerdicts', () => ({
  spam: verdict,
  virus: verdict,
  spf: verdict,
  dkim: verdict,
  dmarc: verdict,
}))

export type Verdicts = z.infer<typeof Verdicts>

/** The reasons why the sender of a mail is not verified. */
export const senderFaults = [
  'no_clear_sender',
  'misleading_name',
  'dmarc_failed',
  'contradictory',
  'not_aligned',
  'not_passed',
  'not_checked',
] as const

const senderFault = z.enum(senderFaults).meta({
  description:
    'Why the sender is not verified; null otherwise. `no_clear_sender`: the header has no sender, several, or one that programs may read differently. `misleading_name`: the name shows the address of another organisation. `dmarc_failed`: the DMARC check of the sender’s domain failed. `contradictory`: results of the receiving service contradict each other. `not_aligned`: SPF or DKIM passed for another domain. `not_passed`: neither passed. `not_checked`: the receiving service checked nothing.',
})

/** A mail that was sent or received (M6). */
export const Correspondence = namedObject('Correspondence', () => ({
  id: shownId('correspondence'),
  direction,
  status: z.enum(['sending', 'sent', 'failed', 'received', 'processed']).meta({
    description:
      'Of inbound mail: `received` until it is read, then `processed`, or `failed` if it cannot be read. The raw message is available in each case. Of outbound mail: `failed` if it was refused, or not confirmed within ten minutes.',
  }),
  status_reason: NullableText.meta({ description: 'Why an inbound mail could not be read.' }),
  from: z.object({ name: NullableText, email: Text }),
  to: z.array(Text),
  cc: z.array(Text),
  bcc: z.array(Text),
  subject: Text,
  body_text: Text,
  body_html: Text.meta({
    description: 'Without scripts and remote pictures. Pictures in the mail have `cid:` addresses.',
  }),
  inline_images: z
    .array(z.object({ content_id: Text, mime_type: Text, data: z.base64() }))
    .meta({ description: 'Small pictures to which `body_html` refers by `cid:`. They are not documents.' }),
  case_id: z.uuid().nullable(),
  party_id: shownId('party').nullable(),
  assigned_to: shownId('user').nullable(),
  attachments: z.array(
    z.object({
      document_id: shownId('document'),
      filename: Text,
      mime_type: Text,
      size_bytes: z.int(),
      content_id: NullableText.meta({
        description: '`body_html` refers to the attachment as `cid:<content_id>`.',
      }),
    }),
  ),
  message_id: NullableText.meta({
    description:
      'Of outbound mail: the id of the mail provider; null until it is sent. Of inbound mail: its `Message-ID`; null if it has none.',
  }),
  in_reply_to: NullableText,
  sent_at: Timestamp.nullable(),
  received_at: Timestamp.nullable(),
  dated_at: Timestamp.nullable().meta({
    description:
      'Of inbound mail: the `Date` of its header. The sender can write any date. Null if there is no readable date, and for outbound mail.',
  }),
  delivery: z.array(Delivery).meta({
    description: 'One entry for each recipient about whom the mail provider has reported something.',
  }),
  verdicts: Verdicts.nullable().meta({
    description: 'The checks of an inbound mail. Null for outbound mail.',
  }),
  sender_verified: z.boolean().nullable().meta({
    description:
      'Only for inbound mail: whether the receiving service has proved that it comes from the domain of `from`, by DMARC, or by SPF or DKIM for a domain of the same organisation. Otherwise only a person files the mail.',
  }),
  sender_verified_reason: senderFault.nullable(),
  reply_to: z
    .array(z.object({ name: NullableText, email: Text }))
    .meta({ description: 'Only for inbound mail: the addresses to which the sender wants replies.' }),
  protection: z.enum(['none', 'signed', 'encrypted']).meta({
    description:
      'Whether an inbound mail is signed or encrypted, by S/MIME or PGP. Signatures are not verified.',
  }),
  triage: Triage.nullable().meta({
    description: 'The triage result of an inbound mail. Null before the triage, and for outbound mail.',
  }),
  created_at: Timestamp,
}))

export type Correspondence = z.infer<typeof Correspondence>

/** A mail in a list: without its body and the date of its header. */
export const CorrespondenceSummary = z.lazy(() =>
  Correspondence.unwrap()
    .omit({
      body_text: true,
      body_html: true,
      inline_images: true,
      dated_at: true,
    })
    .meta({
      id: 'CorrespondenceSummary',
    }),
)

export type CorrespondenceSummary = z.infer<typeof CorrespondenceSummary>

export const CorrespondenceQuery = lazyObject(() => ({
  ...pageQuery,
  case_id: idFilter('case').optional(),
  party_id: idFilter('party').optional(),
  direction: direction.optional(),
  search: text(200).optional().meta({ description: 'All words must be in the subject or the addresses.' }),
  updated_since: updatedSince(),
}))

export type CorrespondenceQuery = z.infer<typeof CorrespondenceQuery>

/** The mail to which to reply, and whether all its recipients get the reply. */
export const ReplyInput = namedObject('ReplyInput', () => ({
  correspondence_id: idOf('correspondence'),
  reply_all: orDefault(z.boolean(), false),
}))

export type ReplyInput = z.infer<typeof ReplyInput>

/** The mail to forward. */
export const ForwardInput = namedObject('ForwardInput', () => ({ correspondence_id: idOf('correspondence') }))

export type ForwardInput = z.infer<typeof ForwardInput>

/** The signature of the calling user (M8). */
export const Signature = namedObject('Signature', () => ({ signature_html: Text }))

export type Signature = z.infer<typeof Signature>
