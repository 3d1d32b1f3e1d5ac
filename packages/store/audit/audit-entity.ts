import type { FirmAuditEntry } from '#audit/schema.ts'
import { entity, jsonOf, listKey, number } from '../entity.ts'

/** One entry of the audit of a firm (R7). It is created once, never written again, and expires after ten years. */
export const auditEntry = entity('firmaudit', listKey('oldest', '${workspace_id}#audit', '${position}'), {
  /** The entry as it is answered, word for word: its hash is over it. */
  entry: jsonOf<FirmAuditEntry>(),
  ttl: number,
})
