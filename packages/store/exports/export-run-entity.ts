import { Entity } from 'electrodb'
import { runStatuses } from '#exports/run-schema.ts'
import type { Db } from '../db.ts'

/** A run of a configuration by its schedule. Its id has the scheduled time, so that ids sort by it. */
export function exportRun(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'exportrun', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        config_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        scheduled_at: { type: 'string', required: true },
        started_at: { type: 'string', required: true },
        finished_at: { type: 'string' },
        status: { type: runStatuses, required: true },
        status_reason: { type: 'string' },
        row_count: { type: 'number' },
        size_bytes: { type: 'number' },
        /** Counts the attempts. Every write is conditional on the attempt that it belongs to. */
        attempt: { type: 'number', required: true },
        attempt_started_at: { type: 'string', required: true },
        filename: { type: 'string' },
        mime_type: { type: 'string' },
        selection_sha256: { type: 'string' },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'config_id'],
            template: '${workspace_id}#export_runs#${config_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A run that was enqueued and has not ended. After the queues were lost, the sweeper sends it again. */
export function unendedRun(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'unendedrun', version: '1' },
      attributes: {
        /** The last hexadecimal digit of the id. */
        shard: { type: 'string', required: true },
        id: { type: 'string', required: true },
        workspace_id: { type: 'string', required: true },
        config_id: { type: 'string', required: true },
        scheduled_at: { type: 'string', required: true },
      },
      indexes: {
        oldest: {
          pk: { field: 'pk', composite: ['shard'], template: 'exports#unended#${shard}', casing: 'none' },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
