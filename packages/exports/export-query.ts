import { columnsOf } from './columns.ts'
import type { ExportConfigRecord } from './config-ports.ts'
import { withinKnownDays } from './filters.ts'
import type { SourceQuery } from './ports.ts'
import type { Column } from './table-schema.ts'

/** What an export needs of the workspace. */
export type ExportWorkspaces<Workspace> = { find: (id: string) => Promise<Workspace | undefined> }

/** The workspace of a configuration, its columns, and the query for its rows as they are now. */
export async function exportQuery<Workspace extends { time_zone: string }>(
  workspaces: ExportWorkspaces<Workspace>,
  config: ExportConfigRecord,
  now: Date,
): Promise<{ workspace: Workspace; columns: readonly Column[]; query: SourceQuery }> {
  const { workspace_id, source, filters } = config
  const workspace = await workspaces.find(workspace_id)
  if (workspace === undefined) throw new Error(`There is no workspace ${workspace_id}.`)
  const columns = columnsOf(source, config.columns)
  const fields = new Set(columns.map(({ field }) => field))
  const { time_zone } = workspace
  return {
    workspace,
    columns,
    query: { workspace_id, time_zone, filters: withinKnownDays(filters), fields, now },
  }
}
