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

/** The largest body of a mail, in bytes of UTF-8 (M3). */
export const maxBodyBytes = 1024 * 1024

/** The largest sum of the attachments of a mail, in bytes (M3): SES takes 10 MB with everything encoded. */
export const maxAttachmentBytes = 6 * 1024 * 1024

/** The maximum number of attachments of a mail. */
export const maxAttachments = 100

/** How long documents can be fetched by the link of a mail (M3). */
export const sharedLinkDays = 30

/** How long a key of a send is remembered (M1). */
export const sendKeyDays = 30

/** After this time without an event, a send with an unknown outcome counts as failed (M5). */
const unknownOutcomeMinutes = 10

/** When a send that began at `since` is lost, if its outcome is still unknown then (M5). */
export function lostFrom(since: string): Date {
  return new Date(Date.parse(since) + unknownOutcomeMinutes * 60_000)
}

const addresses = z.lazy(() => z.array(mailAddressText).max(maxRecipients, `At most ${maxRecipients}.`))

/** The maximum number of characters in a subject (M3). */
export const maxSubjectLength = 998

/** A subject: one line. An empty one is allowed in drafts. */
const subject = z.lazy(() =>
  z
    .string()
    .check((context) => {
      if (lineBreak.test(context.value)) refuse(context, 'A line break is not allowed here.')
    })
    .pipe(text(maxSubjectLength))
    .meta({ maxLength: maxSubjectLength }),
)

/** HTML as it is sent; the use cases hold it to `maxBodyBytes` and clean it. */
const bodyHtml = z.lazy(() =>
  z
    .string()
    .check((context) => {
      if (!context.value.isWellFormed()) refuse(context, 'This is not valid Unicode text.')
    })
    .meta({ description: 'At most 1 MiB of HTML. Scripts and event handlers are removed.' }),
)

/** A document id, or an object that holds one, as drafts show it. */
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
    description: '`links`: the mail holds addresses that are valid for 30 days instead of the files.',
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
  in_reply_to: NullableText.meta({ description: 'The `Message-ID` of the mail that it answers.' }),
  warnings: z.array(Text).meta({
    description:
      'Of a reply: that `Reply-To` leads to another organisation than the sender’s. Empty once `to` is changed.',
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

/** The fields of a draft, all optional. Null means missing in a new draft, and clears the field in a change (G8). */
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

/** A direct send in either of its two shapes, told apart by `to_recipients` and `to` (M1). */
export const DirectSendInput = namedObject('DirectSendInput', () => ({
  idempotency_key: z
    .uuid('This is not a UUID.')
    .transform((key) => key.toLowerCase())
    .nullish()
    .meta({ description: 'One for each send, reused on every retry. Required with `to_recipients`.' }),
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

/** The answer to a draft's send, and to a direct send with `to_recipients`. */
export const SendResult = namedObject('SendResult', () => ({
  success: z.boolean(),
  email_id: z.uuid().meta({ description: 'The UUID of the correspondence.' }),
  message_id: z.string().meta({ description: 'The id of the mail provider.' }),
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

/** An address in a mail of ours by which everybody who has it may fetch documents. */
export const SharedLinkSummary = namedObject('SharedLink', () => ({
  id: shownId('sharedLink'),
  correspondence_id: shownId('correspondence').meta({ description: 'The mail that holds the address.' }),
  case_id: z.uuid().nullable().meta({ description: 'The case of the mail when it was sent.' }),
  documents: z
    .array(z.object({ document_id: shownId('document'), filename: Text }))
    .meta({ description: 'The documents that it opens now.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
}))

export type SharedLinkSummary = z.infer<typeof SharedLinkSummary>

/** The delivery of a mail at one of its recipients, by the provider's events (M6). */
export const Delivery = namedObject('Delivery', () => ({
  email: Text,
  status: z.enum(['delivered', 'delayed', 'bounced', 'complained']),
  at: Timestamp,
  reason: NullableText,
}))

export type Delivery = z.infer<typeof Delivery>

const direction = z.enum(['outbound', 'inbound'])

const verdict = z.enum(['pass', 'fail', 'gray', 'unknown'])

/** The results of the receiving mail service about a mail; `unknown` if it did not look. */
export const Verdicts = namedObject('MailVerdicts', () => ({
  spam: verdict,
  virus: verdict,
  spf: verdict,
  dkim: verdict,
  dmarc: verdict,
}))

export type Verdicts = z.infer<typeof Verdicts>

/** Why nobody vouches for the sender of a mail. */
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
    'Why the sender is not verified; null otherwise. `no_clear_sender`: the header names none, several, or one that programs read differently. `misleading_name`: the name shows the address of another organisation. `dmarc_failed`: the mail fails DMARC of the sender’s domain. `contradictory`: results of the receiving service contradict each other. `not_aligned`: SPF or DKIM passed for another domain. `not_passed`: neither passed. `not_checked`: the receiving service checked nothing.',
})

/** A mail that was sent or received (M6). */
export const Correspondence = namedObject('Correspondence', () => ({
  id: shownId('correspondence'),
  direction,
  status: z.enum(['sending', 'sent', 'failed', 'received', 'processed']).meta({
    description:
      'Of inbound mail: `received` until it is read, then `processed`, or `failed` if it cannot be read: the raw message is there. Of outbound mail: `failed` if it was refused, or not confirmed within ten minutes.',
  }),
  status_reason: NullableText.meta({ description: 'Why an inbound mail could not be read.' }),
  from: z.object({ name: NullableText, email: Text }),
  to: z.array(Text),
  cc: z.array(Text),
  bcc: z.array(Text),
  subject: Text,
  body_text: Text,
  body_html: Text.meta({
    description: 'Without scripts and remote pictures. Pictures of the mail itself are named `cid:`.',
  }),
  inline_images: z
    .array(z.object({ content_id: Text, mime_type: Text, data: z.base64() }))
    .meta({ description: 'Small pictures that `body_html` names by `cid:` and that are no documents.' }),
  case_id: z.uuid().nullable(),
  party_id: shownId('party').nullable(),
  assigned_to: shownId('user').nullable(),
  attachments: z.array(
    z.object({
      document_id: shownId('document'),
      filename: Text,
      mime_type: Text,
      size_bytes: z.int(),
      content_id: NullableText.meta({ description: 'By which `body_html` names it: `cid:…`.' }),
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
      'Of inbound mail: the `Date` of its header, which its sender writes as he likes. Null if it has none that can be read, and for outbound mail.',
  }),
  delivery: z
    .array(Delivery)
    .meta({ description: 'One entry for each recipient of whom something is known.' }),
  verdicts: Verdicts.nullable().meta({
    description: 'The checks of an inbound mail. Null for outbound mail.',
  }),
  sender_verified: z.boolean().nullable().meta({
    description:
      'Only for inbound mail: whether the receiving service has proved that it comes from the domain of `from`, by DMARC, or by SPF or DKIM for a domain of the same organisation. Otherwise the mail is filed by a person only.',
  }),
  sender_verified_reason: senderFault.nullable(),
  reply_to: z
    .array(z.object({ name: NullableText, email: Text }))
    .meta({ description: 'Only for inbound mail: the addresses to which its sender wants answers.' }),
  protection: z.enum(['none', 'signed', 'encrypted']).meta({
    description:
      'Whether an inbound mail is signed or encrypted, by S/MIME or PGP. Signatures are not verified.',
  }),
  triage: Triage.nullable().meta({
    description: 'The triage result of an inbound mail. Null until it was judged, and for outbound mail.',
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

/** Which mail to answer, and whether all its recipients get the answer. */
export const ReplyInput = namedObject('ReplyInput', () => ({
  correspondence_id: idOf('correspondence'),
  reply_all: orDefault(z.boolean(), false),
}))

export type ReplyInput = z.infer<typeof ReplyInput>

/** Which mail to forward. */
export const ForwardInput = namedObject('ForwardInput', () => ({ correspondence_id: idOf('correspondence') }))

export type ForwardInput = z.infer<typeof ForwardInput>

/** The signature of the calling user (M8). */
export const Signature = z.lazy(() => z.object({ signature_html: Text }).meta({ id: 'Signature' }))

export type Signature = z.infer<typeof Signature>
