import { Entity } from 'electrodb'
import { sides } from '#parties/side-schema.ts'
import type { Db } from '../db.ts'

const inRole = {
  id: { type: 'string', required: true },
  role: { type: 'string', required: true },
  name: { type: 'string', required: true },
} as const

const participants = { type: 'list', required: true, items: { type: 'map', properties: inRole } } as const

/** `side`: only where it was given (C11). Entries without it are judged by their role whenever they are read. */
const parties = {
  type: 'list',
  required: true,
  items: { type: 'map', properties: { ...inRole, side: { type: sides } } },
} as const

/** A case with its parties and staff. A deleted case stays for the audit (G13). */
export function caseEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'case', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        name: { type: 'string', required: true },
        file_number: { type: 'string', required: true },
        status: { type: ['active', 'closed', 'archived'] as const, required: true },
        type: { type: 'string' },
        description: { type: 'string' },
        dezernat: { type: 'string' },
        parties,
        staff: participants,
        created_at: { type: 'string', required: true },
        updated_at: { type: 'string', required: true },
        /** When the newest change was written, for `updated_since` (G16). */
        changed_at: { type: 'string', required: true },
        /** Counts the changes. Every write is conditional on the version that it was decided for. */
        version: { type: 'number', required: true },
        deleted_at: { type: 'string' },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'id'],
            template: '${workspace_id}#case#${id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
