import type { CorrespondenceRecord, DraftRecord, SendClaim } from '#correspondence/ports.ts'
import { newId } from '#kernel/id.ts'

/** A mail whose send has just begun. */
export function mailRecord(
  workspace_id: string,
  changes: Partial<CorrespondenceRecord> = {},
): CorrespondenceRecord {
  const id = newId('correspondence')
  return {
    workspace_id,
    id,
    direction: 'outbound',
    status: 'sending',
    from: { name: 'Dr. Jana Vogt', email: 'kanzlei@inbound.localhost' },
    to: ['Max Müller <max@mueller.de>'],
    cc: [],
    bcc: [],
    subject: 'Ihre Kündigung vom 3. März',
    case_id: null,
    party_id: null,
    assigned_to: null,
    attachments: [],
    message_id: null,
    in_reply_to: null,
    sent_at: null,
    received_at: null,
    delivery: [],
    created_at: '2026-03-16T08:30:00.000Z',
    user_id: newId('user'),
    draft_id: null,
    about: null,
    header_message_id: `<${id}@inbound.localhost>`,
    references: [],
    sending_since: '2026-03-16T08:30:00.000Z',
    lost_at: null,
    attempts: 1,
    refusal: null,
    status_reason: null,
    verdicts: null,
    sender_verified: changes.direction === 'inbound' ? false : null,
    sender_verified_reason: changes.direction === 'inbound' ? 'not_checked' : null,
    protection: 'none',
    triage: null,
    reply_to: [],
    inbox: null,
    teaches: { references: [], sender: null },
    version: 1,
    ...changes,
  }
}

/** A draft that was never sent. */
export function draftRecord(workspace_id: string, changes: Partial<DraftRecord> = {}): DraftRecord {
  return {
    workspace_id,
    id: newId('draft'),
    user_id: newId('user'),
    to: ['Max Müller <max@mueller.de>'],
    cc: [],
    bcc: [],
    subject: 'Ihre Kündigung',
    attachments: [],
    attachments_as: 'files',
    warnings: [],
    case_id: null,
    in_reply_to: null,
    status: 'draft',
    correspondence_id: null,
    sending_since: null,
    body_key: null,
    references: [],
    created_at: '2026-03-16T08:30:00.000Z',
    updated_at: '2026-03-16T08:30:00.000Z',
    version: 1,
    ...changes,
  }
}

/** A claim by a key of this user, for thirty days. */
export function keyClaim(user_id: string, key: string, digest = 'digest'): SendClaim & { by: 'key' } {
  return { by: 'key', user_id, key, digest, expires_at: '2026-04-15T08:30:00.000Z' }
}

/** Four bytes in UTF-8, and two code units. */
const wide = '𝔄'
/** Three bytes in UTF-8, and one code unit. */
const euro = '€'

/** The largest address that inputs allow: a name of 320 code units, a local part of 64, a domain of four labels. */
function longestAddress(at: number): string {
  const local = `${at}${'x'.repeat(64)}`.slice(0, 64)
  const label = 'ü'.repeat(50)
  return `${euro.repeat(320)} <${local}@${label}.${label}.${label}.${label}.de>`
}

/** The largest mail that the schema and the limits of stored data allow. */
export function largestMail(
  workspace_id: string,
  changes: Partial<CorrespondenceRecord> = {},
): CorrespondenceRecord {
  const recipients = Array.from({ length: 50 }, (_, at) => longestAddress(at))
  return mailRecord(workspace_id, {
    from: { name: wide.repeat(500), email: 'kanzlei@inbound.localhost' },
    to: recipients.slice(0, 20),
    cc: recipients.slice(20, 40),
    bcc: recipients.slice(40),
    subject: wide.repeat(998),
    references: Array.from({ length: 20 }, (_, at) => `<${at}${'r'.repeat(990)}>`),
    in_reply_to: `<${'r'.repeat(990)}>`,
    attachments: Array.from({ length: 100 }, () => ({
      document_id: newId('document'),
      filename: wide.repeat(500),
      mime_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      size_bytes: 6 * 1024 * 1024,
      content_id: null,
    })),
    delivery: recipients.map((recipient) => ({
      email: recipient.slice(recipient.indexOf('<') + 1, -1),
      status: 'bounced',
      at: '2026-03-16T08:30:00.000Z',
      reason: euro.repeat(500),
    })),
    refusal: { kind: 'other', message: wide.repeat(500) },
    ...changes,
  })
}

/** The largest draft that the schema allows. */
export function largestDraft(workspace_id: string, changes: Partial<DraftRecord> = {}): DraftRecord {
  const { to, cc, bcc, subject, references, in_reply_to, attachments } = largestMail(workspace_id)
  return draftRecord(workspace_id, {
    to,
    cc,
    bcc,
    subject,
    references,
    in_reply_to,
    attachments: attachments.map(({ document_id, filename }) => ({ document_id, filename })),
    ...changes,
  })
}
