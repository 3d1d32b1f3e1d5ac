import type { EnvelopeRecord } from '#signing/ports.ts'
import type { AuditEntry } from '#signing/schema.ts'
import { envelopeStatuses, signingOrders, statusReasons } from '#signing/status-schema.ts'
import { boolean, entity, jsonOf, listKey, nullable, number, oneOf, recordKey, text } from '../entity.ts'

/** An envelope with its documents and signers: one item, changed under its version. */
export const envelopeEntity = entity('envelope', recordKey('${workspace_id}#envelope#${id}'), {
  case_id: text,
  title: text,
  status: oneOf(envelopeStatuses),
  status_reason: nullable(oneOf(statusReasons)),
  signing_order: oneOf(signingOrders),
  message: nullable(text),
  documents: jsonOf<EnvelopeRecord['documents']>(),
  signers: jsonOf<EnvelopeRecord['signers']>(),
  reminders: nullable(jsonOf<EnvelopeRecord['reminders'] & object>()),
  sends_emails: boolean,
  expires_at: nullable(text),
  created_by: text,
  created_at: text,
  sent_at: nullable(text),
  completed_at: nullable(text),
  declined_at: nullable(text),
  voided_at: nullable(text),
  void_reason: nullable(text),
  expired_at: nullable(text),
  next_reminder_at: nullable(text),
  sealing_since: nullable(text),
  seal_again_at: nullable(text),
  mails_again_at: nullable(text),
  audit_seq: number,
  audit_hash: text,
  version: number,
})

/** One entry of an envelope's audit trail, created with the change that it describes and never written again (S8). */
export const envelopeAuditEntry = entity(
  'envelopeaudit',
  listKey('oldest', '${workspace_id}#envelope_audit#${envelope_id}', '${position}'),
  {
    /** The entry exactly as the API answers it, because its hash covers all of its fields. */
    entry: jsonOf<AuditEntry>(),
  },
)
