import { Entity } from 'electrodb'
import { csvDialects, exportFormats } from '#exports/schema.ts'
import { exportSources } from '#exports/table-schema.ts'
import type { Db } from '../db.ts'

const attributes = {
  workspace_id: { type: 'string', required: true },
  /** Sorts by age. */
  id: { type: 'string', required: true },
  name: { type: 'string', required: true },
  description: { type: 'string' },
  source: { type: exportSources, required: true },
  format: { type: exportFormats, required: true },
  csv_dialect: { type: csvDialects },
  filters: { type: 'any', required: true },
  columns: { type: 'any' },
  schedule: { type: 'any' },
  next_run_at: { type: 'string' },
  last_executed_at: { type: 'string' },
  created_at: { type: 'string', required: true },
  /** Counts changes and executions. */
  version: { type: 'number', required: true },
} as const

/** A configuration of an export, as an item of the workspace's list. */
export function exportConfigEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'exportconfig', version: '1' },
      attributes,
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id'],
            template: '${workspace_id}#export_configs',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A configuration that was deleted. It stays for the audit (G13), and no list reads it. */
export function deletedExportConfig(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'deletedexportconfig', version: '1' },
      attributes: { ...attributes, deleted_at: { type: 'string', required: true } },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#export_config#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
