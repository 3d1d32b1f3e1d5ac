import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** A link as one of its two cases sees it; the other case has the mirrored item under the same link id (C7). */
export function caseLink(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'link', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        case_id: { type: 'string', required: true },
        /** Sorts by age. */
        id: { type: 'string', required: true },
        linked_case_id: { type: 'string', required: true },
        type: { type: 'string' },
        note: { type: 'string' },
        created_at: { type: 'string', required: true },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'case_id'],
            template: '${workspace_id}#links#${case_id}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}

/** A pair of linked cases. The item exists once for the pair, so the cases cannot be linked twice (C7). */
export function caseLinkPair(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'linkpair', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** Both case ids in alphabetical order. */
        pair: { type: 'string', required: true },
        link_id: { type: 'string', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'pair'],
            template: '${workspace_id}#link_pair#${pair}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
