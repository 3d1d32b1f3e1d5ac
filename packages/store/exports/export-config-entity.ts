import type { ExportConfigRecord } from '#exports/config-ports.ts'
import { csvDialects, exportFormats } from '#exports/schema.ts'
import { exportSources } from '#exports/table-schema.ts'
import { entity, jsonOf, listKey, nullable, number, oneOf, text } from '../entity.ts'

const attributes = {
  name: text,
  description: nullable(text),
  source: oneOf(exportSources),
  format: oneOf(exportFormats),
  csv_dialect: nullable(oneOf(csvDialects)),
  filters: jsonOf<ExportConfigRecord['filters']>(),
  columns: nullable(jsonOf<ExportConfigRecord['columns'] & object>()),
  schedule: nullable(jsonOf<ExportConfigRecord['schedule'] & object>()),
  next_run_at: nullable(text),
  last_executed_at: nullable(text),
  created_at: text,
  /** Counts changes and executions. */
  version: number,
} as const

/** A configuration of an export, as an item of the workspace's list. */
export const exportConfigEntity = entity(
  'exportconfig',
  listKey('newest', '${workspace_id}#export_configs', '${id}'),
  attributes,
)

/** A configuration that was deleted. It stays for the audit (G13), and only the erasure of a party reads it. */
export const deletedExportConfig = entity(
  'deletedexportconfig',
  listKey('newest', '${workspace_id}#deleted_export_configs', '${id}'),
  { ...attributes, deleted_at: text },
)
