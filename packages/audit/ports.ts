import type { Page, PageRequest } from '#kernel/page.ts'
import type { AuditAction, AuditEvent, FirmAuditEntry } from './schema.ts'

/** Which entries are wanted. `after`: only entries after the entry with this id. */
export type AuditFilter = {
  after?: string | undefined
  actor?: string | undefined
  action?: AuditAction | undefined
}

export type AuditLog = {
  /** The entries of a firm, oldest first. @throws Failure AUDIT_ENTRY_NOT_FOUND for `after` */
  page: (workspaceId: string, filter: AuditFilter, request: PageRequest) => Promise<Page<FirmAuditEntry>>
  /** Records an event without any other change. The entry is stored when this resolves. */
  record: (event: AuditEvent) => Promise<void>
}
