import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { required } from '#kernel/failure.ts'
import type { ExportConfigStore } from './config-ports.ts'
import { type ExportWorkspaces, exportQuery } from './export-query.ts'
import type { RowSources } from './ports.ts'
import type { ExportPreview } from './schema.ts'
import { type Row, shownRow } from './table-schema.ts'

export type PreviewDeps = {
  configs: Pick<ExportConfigStore, 'find'>
  workspaces: ExportWorkspaces<{ time_zone: string }>
  rows: RowSources
  clock: Clock
}

/** The number of rows of a preview (X3). */
const previewRows = 10

/**
 * Shows the columns and the first ten rows of a configuration in any format. It reads only the first rows of the
 * source, and does not count as an execution.
 *
 * @throws Failure CONFIG_NOT_FOUND
 */
export function exportPreview({ configs, workspaces, rows, clock }: PreviewDeps) {
  return async ({ workspace_id }: Actor, id: string): Promise<ExportPreview> => {
    const config = required(await configs.find(workspace_id, id), 'CONFIG_NOT_FOUND')
    const { columns, query } = await exportQuery(workspaces, config, clock.now())
    const data: Row[] = []
    for await (const batch of rows[config.source](query)) {
      data.push(...batch.slice(0, previewRows - data.length))
      if (data.length >= previewRows) break
    }
    return { columns: [...columns], data: data.map((row) => shownRow(row, columns)) }
  }
}
