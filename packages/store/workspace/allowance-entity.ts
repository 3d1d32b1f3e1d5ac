import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** How much a workspace, or one of its API keys, has used of its allowance of requests (G17). */
export function allowanceEntity(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'allowance', version: '1' },
      attributes: {
        workspace_id: { type: 'string', required: true },
        /** `firm`, or the id of an API key. */
        holder: { type: 'string', required: true },
        /** When all that was taken is free again, epoch microseconds. */
        full_at: { type: 'number', required: true },
        /** DynamoDB removes the item then (epoch seconds): an allowance that nobody uses is full. */
        ttl: { type: 'number', required: true },
      },
      indexes: {
        record: {
          pk: {
            field: 'pk',
            composite: ['workspace_id'],
            template: '${workspace_id}#allowance',
            casing: 'none',
          },
          sk: { field: 'sk', composite: ['holder'], template: '${holder}', casing: 'none' },
        },
      },
    },
    db,
  )
}
