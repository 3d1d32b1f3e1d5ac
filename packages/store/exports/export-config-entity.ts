import { csvDialects, exportFormats } from '#exports/schema.ts'
import { exportSources } from '#exports/table-schema.ts'
import {
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

const attributes = {
  workspace_id: text,
  /** Sorts by age. */
  id: text,
  name: text,
  description: optionalText,
  source: oneOf(exportSources),
  format: oneOf(exportFormats),
  csv_dialect: { type: csvDialects },
  filters: json,
  columns: optionalJson,
  schedule: optionalJson,
  next_run_at: optionalText,
  last_executed_at: optionalText,
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

/** A configuration that was deleted. It stays for the audit (G13), and no list reads it. */
export const deletedExportConfig = entity(
  'deletedexportconfig',
  recordKey('${workspace_id}#export_config#${id}'),
  { ...attributes, deleted_at: text },
)
