import { envelopeStatuses, signingOrders, statusReasons } from '#signing/status-schema.ts'
import {
  boolean,
  entity,
  json,
  listKey,
  nullableJson,
  nullableOneOf,
  nullableText,
  number,
  oneOf,
  recordKey,
  text,
} from '../entity.ts'

/** An envelope with its documents and signers: one item, changed under its version. */
export const envelopeEntity = entity('envelope', recordKey('${workspace_id}#envelope#${id}'), {
  workspace_id: text,
  id: text,
  case_id: text,
  title: text,
  status: oneOf(envelopeStatuses),
  status_reason: nullableOneOf(statusReasons),
  signing_order: oneOf(signingOrders),
  message: nullableText,
  documents: json,
  signers: json,
  reminders: nullableJson,
  sends_emails: boolean,
  expires_at: nullableText,
  created_by: text,
  created_at: text,
  sent_at: nullableText,
  completed_at: nullableText,
  declined_at: nullableText,
  voided_at: nullableText,
  void_reason: nullableText,
  expired_at: nullableText,
  next_reminder_at: nullableText,
  sealing_since: nullableText,
  seal_again_at: nullableText,
  mails_again_at: nullableText,
  audit_seq: number,
  audit_hash: text,
  /** Counts the changes; every write names the one it was made for. */
  version: number,
})

/** One entry of an envelope's audit trail, created with the change that it describes and never written again (S8). */
export const envelopeAuditEntry = entity(
  'envelopeaudit',
  listKey('oldest', '${workspace_id}#envelope_audit#${envelope_id}', '${position}'),
  {
    workspace_id: text,
    envelope_id: text,
    /** The entry's `seq` with leading zeros. */
    position: text,
    /** The entry as it is answered, word for word: its hash is over it. */
    entry: json,
  },
)
