import { Entity } from 'electrodb'
import type { Db } from '../db.ts'
import { dueAttributes, dueKeys } from '../due-entity.ts'

/** An envelope for which something is due. After a failure its place is `<next attempt>#<id>#again`, which no other change touches. */
export function dueEnvelope(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'dueenvelope', version: '1' },
      attributes: {
        ...dueAttributes,
        id: { type: 'string', required: true },
        /** How often what was due failed in a row; absent where it did not. */
        attempts: { type: 'number' },
      },
      indexes: dueKeys('envelopes#due'),
    },
    db,
  )
}
