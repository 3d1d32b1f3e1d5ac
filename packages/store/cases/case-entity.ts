import { CustomAttributeType, Entity } from 'electrodb'
import type { CaseRecord } from '#cases/ports.ts'
import type { Db } from '../db.ts'

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
        /** `side`: only where it was given (C11). Without it a party is judged by its role whenever it is read. */
        parties: { type: CustomAttributeType<CaseRecord['parties']>('any'), required: true },
        staff: { type: CustomAttributeType<CaseRecord['staff']>('any'), required: true },
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
