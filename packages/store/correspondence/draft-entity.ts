import type { DraftRecord } from '#correspondence/ports.ts'
import { entity, jsonOf, nullable, number, oneOf, optional, recordKey, text } from '../entity.ts'

/** A mail that is being written (M2). Its body is in the bucket. A deleted one stays for the audit (G13). */
export const draftEntity = entity('draft', recordKey('${workspace_id}#draft#${id}'), {
  user_id: text,
  to: jsonOf<DraftRecord['to']>(),
  cc: jsonOf<DraftRecord['cc']>(),
  bcc: jsonOf<DraftRecord['bcc']>(),
  subject: text,
  attachments: jsonOf<DraftRecord['attachments']>(),
  attachments_as: oneOf(['files', 'links']),
  case_id: nullable(text),
  in_reply_to: nullable(text),
  /** Absent from drafts of older releases. */
  warnings: jsonOf<DraftRecord['warnings']>(),
  status: oneOf(['draft', 'sending', 'sent', 'failed']),
  correspondence_id: nullable(text),
  sending_since: nullable(text),
  body_key: nullable(text),
  references: jsonOf<DraftRecord['references']>(),
  created_at: text,
  updated_at: text,
  version: number,
  deleted_at: optional(text),
})
