import type { CaseRecord } from '#cases/ports.ts'
import { readById } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import type { Db } from '../db.ts'
import { withNulls } from '../nulls.ts'

/** A case whose record is there, also one that a user has deleted. */
export type RetainedCase = CaseRecord & { deleted_at: string | null }

/** Reads the cases of these ids, in no particular order: deleted ones too, but none whose removal has begun. */
export function retainedCases(db: Db) {
  const cases = caseEntity(db)
  return async (workspaceId: string, ids: readonly string[]): Promise<RetainedCase[]> => {
    const items = await readById(db, cases, workspaceId, ids)
    return items.flatMap(({ deleted_at = null, disposal_id, ...one }) =>
      disposal_id === undefined ? [{ ...withNulls(one, caseEntity.nullable), deleted_at }] : [],
    )
  }
}
