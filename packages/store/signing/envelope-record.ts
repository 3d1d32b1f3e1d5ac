import type { EnvelopeRecord } from '#signing/ports.ts'
import type { Db } from '../db.ts'
import { records } from '../records.ts'
import { envelopeEntity } from './envelope-entity.ts'

/** The records of envelopes. */
export function envelopeRecords(db: Db) {
  return records<EnvelopeRecord>(db, envelopeEntity, {
    missing: 'ENVELOPE_NOT_FOUND',
    mayLack: { 'documents.unmerged': true },
  })
}
