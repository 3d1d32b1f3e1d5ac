import * as z from 'zod'
import { isEmail } from '#correspondence/address-schema.ts'
import { idFilter, idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { orCleared, orDefault } from '#kernel/or-default.ts'
import { pageOf, pageQuery } from '#kernel/page.ts'
import { refusedAs } from '#kernel/refuse.ts'
import {
  emailText,
  instantText,
  line,
  NullableText,
  Text,
  Timestamp,
  text,
  visibleText,
} from '#kernel/text.ts'
import { maxDocuments, maxSigners } from './limits.ts'
import { envelopeStatuses, signerRoles, signingOrders, statusReasons } from './status-schema.ts'

const status = z.enum(envelopeStatuses)

const signingOrder = z.lazy(() =>
  z.enum(signingOrders).meta({
    description:
      '`parallel`: all may sign at once. `sequential`: one after the other, in the order of `signers`.',
  }),
)

const role = z.lazy(() =>
  z.enum(signerRoles).meta({
    description:
      '`signer` signs. `approver` agrees and draws no signature. `cc` only gets the sealed copies.',
  }),
)

const signerStatus = z.enum(['pending', 'signed', 'declined'])

const delivery = z.lazy(() =>
  z.enum(['queued', 'sent', 'bounced']).nullable().meta({
    description:
      'The result of the newest mail to this person. `bounced`: the mail could not be delivered, the address was refused, or it is unknown whether the mail was sent. Null if none was sent.',
  }),
)

/** A person of an envelope, as the API shows it (S2). */
export const Signer = namedObject('EnvelopeSigner', () => ({
  id: shownId('signer'),
  name: Text,
  email: Text,
  role,
  status: signerStatus,
  order: z.int().meta({ description: 'The position of the signer in the given order, from 1.' }),
  signed_at: Timestamp.nullable(),
  sent_at: Timestamp.nullable().meta({ description: 'When the first mail with a link went out.' }),
  opened_at: Timestamp.nullable(),
  declined_at: Timestamp.nullable(),
  decline_reason: NullableText,
  delivery,
  locked: z.boolean().meta({
    description:
      'Whether five wrong access codes have locked the link. Only a new link from `POST …/signers/{signer_id}/link` unlocks it; a reminder does not.',
  }),
}))

export type Signer = z.infer<typeof Signer>

export const EnvelopeDocument = namedObject('EnvelopeDocument', () => ({
  id: shownId('envelopeDocument'),
  document_id: shownId('document'),
  filename: Text,
  sha256: Text.meta({
    description: 'The SHA-256 of the bytes when the envelope was created. Exactly these bytes are signed.',
  }),
  sealed_document_id: shownId('document').nullable().meta({
    description: 'The sealed copy, once the envelope is completed.',
  }),
}))

export type EnvelopeDocument = z.infer<typeof EnvelopeDocument>

const days = z.lazy(() => z.int().gte(1).lte(30))

const Reminders = z.lazy(() =>
  z.object({ first_after_days: days, repeat_every_days: days }).meta({
    id: 'EnvelopeReminders',
    description: 'When the signers whose turn it is are reminded automatically.',
  }),
)

/** A signing envelope (S2). */
export const Envelope = namedObject('Envelope', () => ({
  id: shownId('envelope'),
  case_id: z.uuid(),
  title: Text,
  status,
  status_reason: z.enum(statusReasons).nullable().meta({
    description:
      'Why the envelope is not completed although everybody has signed. `bytes_missing`, `bytes_damaged`: the bytes of a document or of a drawn signature are gone or have changed; a person must restore them. `sealing_failed`: sealing is retried. Null otherwise.',
  }),
  signing_order: signingOrder,
  message: NullableText,
  documents: z.array(EnvelopeDocument),
  warnings: z.array(Text).meta({
    description:
      'Documents that can change, or that look different in different readers or on paper. They are attached to their certificates unchanged instead of merged, and the signers see a note.',
  }),
  signers: z.array(Signer),
  reminders: Reminders.nullable(),
  expires_at: Timestamp.nullable().meta({ description: 'Null for a draft without an expiry.' }),
  created_by: shownId('user'),
  created_at: Timestamp,
  sent_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable(),
  declined_at: Timestamp.nullable(),
  voided_at: Timestamp.nullable(),
  void_reason: NullableText,
}))

export type Envelope = z.infer<typeof Envelope>

/** An envelope in the list of its case (S10). */
export const CaseEnvelope = z.lazy(() =>
  Envelope.unwrap()
    .pick({ id: true, title: true, status: true })
    .extend({ signers: z.array(Signer.unwrap().pick({ name: true, status: true, signed_at: true })) })
    .meta({ id: 'CaseEnvelope' }),
)

export type CaseEnvelope = z.infer<typeof CaseEnvelope>

const title = z.lazy(() => line(200))
const message = z.lazy(() => text(5_000).nullable())
const accessCode = z.lazy(() =>
  visibleText(64)
    .refine((code) => [...code].length >= 6, 'At least 6 characters.')
    .meta({ minLength: 6, maxLength: 64 }),
)
const expiresAt = z.lazy(() =>
  instantText().meta({ description: 'In the future, at most 365 days after sending.' }),
)

export const SignerInput = namedObject('EnvelopeSignerInput', () => ({
  name: line(200),
  email: emailText().refine(isEmail, 'No mail can be sent to this address.'),
  role: orDefault(role, 'signer'),
  access_code: accessCode.nullable().default(null).meta({
    description:
      'The page asks for the code before it shows anything. Give it to the signer through another channel. No answer contains it.',
  }),
}))

export type SignerInput = z.infer<typeof SignerInput>

const documentIds = z.lazy(() =>
  z
    .array(idOf('document'))
    .min(1)
    .max(maxDocuments)
    .refine((ids) => new Set(ids).size === ids.length, 'Name each document once.')
    .meta({ description: `1 to ${maxDocuments}, each once; 50 MiB together.` }),
)

/** A missing field has its own error code, which takes precedence over all other errors (S1). */
const hasDocuments = [
  ({ document_ids }: { document_ids: unknown }) => !isEmpty(document_ids),
  refusedAs('NO_DOCUMENTS', 'document_ids', 'Name at least one document in `document_ids`.'),
] as const

const hasSigners = [
  ({ signers }: { signers: unknown }) => !isEmpty(signers) && !areAllCc(signers),
  refusedAs('NO_SIGNERS', 'signers', 'Name at least one signer who is not `cc` in `signers`.'),
] as const

function isEmpty(list: unknown): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.length === 0)
}

function areAllCc(signers: unknown): boolean {
  return Array.isArray(signers) && signers.every((signer) => signer?.role === 'cc')
}

export const EnvelopeInput = z.lazy(() =>
  z
    .object({
      title,
      document_ids: documentIds,
      signers: z.array(SignerInput).min(1).max(maxSigners),
      signing_order: orDefault(signingOrder, 'parallel'),
      send_emails: orDefault(z.boolean(), false).meta({
        description: '`true` sends the envelope at once. `false` leaves it as a draft.',
      }),
      message: message.default(null),
      expires_at: expiresAt.nullable().default(null),
      reminders: Reminders.nullable().default(null),
    })
    .refine(...hasDocuments)
    .refine(...hasSigners)
    .meta({ id: 'EnvelopeInput' }),
)

export type EnvelopeInput = z.infer<typeof EnvelopeInput>

export const PromotionInput = z.lazy(() =>
  z
    .object({ case_id: idOf('case'), document_ids: documentIds, title })
    .refine(...hasDocuments)
    .meta({ id: 'EnvelopePromotionInput' }),
)

export type PromotionInput = z.infer<typeof PromotionInput>

export const EnvelopeChanges = namedObject('EnvelopeChanges', () => ({
  title: title.optional(),
  message: message.optional(),
  signing_order: orCleared(signingOrder, 'parallel'),
  expires_at: expiresAt.nullable().optional(),
  reminders: Reminders.nullable().optional(),
}))

export type EnvelopeChanges = z.infer<typeof EnvelopeChanges>

export const SignersInput = namedObject('EnvelopeSignersInput', () => ({
  signers: z.array(SignerInput).min(1).max(maxSigners),
}))

export type SignersInput = z.infer<typeof SignersInput>

export const SendInput = z.lazy(() =>
  orDefault(z.object({ send_emails: orDefault(z.boolean(), true) }).meta({ id: 'EnvelopeSendInput' }), {
    send_emails: true,
  }),
)

export type SendInput = z.infer<typeof SendInput>

export const VoidInput = namedObject('EnvelopeVoidInput', () => ({ reason: visibleText(2_000) }))

export type VoidInput = z.infer<typeof VoidInput>

export const EnvelopeQuery = lazyObject(() => ({
  ...pageQuery,
  case_id: idFilter('case').optional(),
  status: status.optional(),
}))

export type EnvelopeQuery = z.infer<typeof EnvelopeQuery>

/** A new magic link (S4). */
export const SignerLink = namedObject('EnvelopeSignerLink', () => ({
  url: Text.optional().meta({
    description: 'Shown only once: a repeated answer (`Idempotency-Key`) does not contain it.',
  }),
  expires_at: Timestamp,
}))

export type SignerLink = z.infer<typeof SignerLink> & { url: string }

export const auditActions = [
  'created',
  'changed',
  'sent',
  'link_made',
  'code_refused',
  'opened',
  'signed',
  'declined',
  'reminded',
  'voided',
  'expired',
  'completed',
] as const

/** An entry of the audit trail, which is a hash chain (S8, F11). */
export const AuditEntry = namedObject('EnvelopeAuditEntry', () => ({
  seq: z.int().meta({ description: 'Counts from 1.' }),
  at: Timestamp,
  actor: z.object({
    type: z.enum(['user', 'signer', 'system']),
    id: NullableText,
    name: Text,
    key_id: shownId('apiKey').optional().meta({ description: 'The API key that was used.' }),
    ip: Text.optional().meta({ description: 'For a signer: the IP address of the request.' }),
    user_agent: Text.optional().meta({ description: 'For a signer: the `User-Agent` of the browser.' }),
  }),
  action: z.enum(auditActions),
  details: z.record(Text, z.unknown()).meta({
    description:
      'Depends on the action: for example the documents with their digests, the typed name, or the text of the consent.',
  }),
  hash: z.string().meta({
    description: 'SHA-256, lower-case hex, of the canonical JSON (RFC 8785) of this entry without `hash`.',
  }),
  previous_hash: NullableText.meta({ description: '`hash` of the previous entry; null in the first entry.' }),
}))

export type AuditEntry = z.infer<typeof AuditEntry>

export const EnvelopeAudit = z.lazy(() =>
  pageOf(AuditEntry)
    .unwrap()
    .extend({
      intact: z.boolean().meta({
        description:
          'Whether every entry on this page has the hash of its content and follows the entry before it. On the last page also whether no entry is missing at the end.',
      }),
    })
    .meta({ id: 'EnvelopeAudit' }),
)

export type EnvelopeAudit = z.infer<typeof EnvelopeAudit>
