import { entity, json, nullableText, number, oneOf, optionalText, recordKey, text } from '../entity.ts'

/** A mail that is being written (M2). Its body lies in the bucket. A deleted one stays for the audit (G13). */
export const draftEntity = entity('draft', recordKey('${workspace_id}#draft#${id}'), {
  workspace_id: text,
  id: text,
  user_id: text,
  to: json,
  cc: json,
  bcc: json,
  subject: text,
  attachments: json,
  attachments_as: oneOf(['files', 'links']),
  case_id: nullableText,
  in_reply_to: nullableText,
  /** Absent from drafts of older releases. */
  warnings: json,
  status: oneOf(['draft', 'sending', 'sent', 'failed']),
  correspondence_id: nullableText,
  sending_since: nullableText,
  body_key: nullableText,
  references: json,
  created_at: text,
  updated_at: text,
  /** Counts the changes; every write names the one it was made for. */
  version: number,
  deleted_at: optionalText,
})
