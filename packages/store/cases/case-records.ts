import type { CaseRecord } from '#cases/ports.ts'
import type { Db } from '../db.ts'
import { records } from '../records.ts'
import { caseEntity } from './case-entity.ts'

/** The records of cases. */
export function caseRecords(db: Db) {
  return records<CaseRecord>(db, caseEntity, {
    missing: 'CASE_NOT_FOUND',
    mayLack: { 'parties.side': true },
  })
}
