import { namedEvidence } from '#bea/messages/naming.ts'
import { deadlineCells } from '#deadlines/table-cells.ts'
import { auditLog } from '#store/audit/audit-log.ts'
import { exportConfigStore } from '#store/exports/export-config-store.ts'
import { exportTokenStore } from '#store/exports/export-token-store.ts'
import { bookableInvoices } from '#store/exports/invoice-rows.ts'
import { rowSources } from '#store/exports/row-sources.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import type { Base } from './foundation.ts'

/** Exports for every function that uses them: configurations, tokens, and the rows of the sources. */
export function exportsFoundation(base: Base) {
  return {
    configs: exportConfigStore(base),
    tokens: exportTokenStore(base),
    audit: auditLog(base),
    workspaces: workspaceStore(base.db),
    rows: rowSources({ db: base.db, deadlineCells, nameOfMessage: namedEvidence }),
    bookableInvoices: bookableInvoices(base.db),
  }
}
