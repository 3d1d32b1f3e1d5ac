import { Entity } from 'electrodb'
import type { Db } from '../db.ts'

/** What anybody who has a sealed file may know of it (S9). Who asks shows its digest alone; the key has no workspace. */
export function sealedFile(db: Db) {
  return new Entity(
    {
      model: { service: 'akte', entity: 'sealedfile', version: '1' },
      attributes: {
        /** SHA-256 of the file, hexadecimal. */
        sha256: { type: 'string', required: true },
        /** Whose file it is, for the operator alone (W8). */
        workspace_id: { type: 'string', required: true },
        /** The answer, as it was when the file was sealed. */
        answer: { type: 'any', required: true },
      },
      indexes: {
        record: {
          pk: { field: 'pk', composite: ['sha256'], template: 'sealed_file#${sha256}', casing: 'none' },
          sk: { field: 'sk', composite: [], casing: 'none' },
        },
      },
    },
    db,
  )
}
