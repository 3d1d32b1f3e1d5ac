import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/**
 * A record's place under one term of a list (`search-index.ts`). Under `all` and the filters it tells what the
 * list shows of the record and what decides whether it is wanted; under a fragment of a word there is only the id.
 */
export function listEntry(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'entry', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true, field: 'w' },
        /** Which list: `case`, `party`, … */
        list: { type: 'string', required: true, field: 'l' },
        /** `all`, `is:status=active`, `has:mei`, `begins:m`. */
        term: { type: 'string', required: true, field: 't' },
        id: { type: 'string', required: true },
        /** What the list shows of the record. */
        card: { type: 'any', field: 'c' },
        /** The record's searchable words, folded. */
        text: { type: 'string', field: 'x' },
        /** The filter terms that the record stands under. */
        filters: { type: 'any', field: 'f' },
      },
      indexes: {
        newest: {
          pk: {
            field: 'pk',
            composite: ['workspace_id', 'list', 'term'],
            template: '${workspace_id}#${list}#${term}',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['id'], template: '${id}', casing: 'none' },
        },
      },
    },
    db,
  )
}
