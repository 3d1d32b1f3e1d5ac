import { envelopeStatuses, signingOrders, statusReasons } from '#signing/status-schema.ts'
import {
  boolean,
  entity,
  json,
  listKey,
  number,
  oneOf,
  optionalJson,
  optionalText,
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
  status_reason: { type: statusReasons },
  signing_order: oneOf(signingOrders),
  message: optionalText,
  documents: json,
  signers: json,
  reminders: optionalJson,
  sends_emails: boolean,
  expires_at: optionalText,
  created_by: text,
  created_at: text,
  sent_at: optionalText,
  completed_at: optionalText,
  declined_at: optionalText,
  voided_at: optionalText,
  void_reason: optionalText,
  expired_at: optionalText,
  next_reminder_at: optionalText,
  sealing_since: optionalText,
  seal_again_at: optionalText,
  mails_again_at: optionalText,
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
