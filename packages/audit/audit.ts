import type { Actor } from '#kernel/actor.ts'
import type { Page } from '#kernel/page.ts'
import type { AuditLog } from './ports.ts'
import type { AuditQuery, FirmAuditEntry } from './schema.ts'

export type AuditService = ReturnType<typeof auditService>

/** The audit of the caller's firm (R7). */
export function auditService({ log }: { log: Pick<AuditLog, 'page'> }) {
  return {
    /** A page of the audit, oldest first. @throws Failure AUDIT_ENTRY_NOT_FOUND */
    list: (
      { workspace_id }: Actor,
      { limit, cursor, ...filter }: AuditQuery,
    ): Promise<Page<FirmAuditEntry>> => log.page(workspace_id, filter, { limit, cursor }),
  }
}
