import { fieldsById } from '../batch.ts'
import { type Db, oncePerTable } from '../db.ts'
import { caseEntity } from './case-entity.ts'

/** The fields of a deadline about its case. */
type OfCase = { case_id: string; case_deleted_at: string | null }

type ShowDeletion = <Stored extends OfCase>(workspaceId: string, records: Stored[]) => Promise<Stored[]>

/** How many cases a process remembers. */
const maxKnown = 20_000

/**
 * Shows on deadlines that their case was deleted, also on deadlines that were not marked at the deletion (C8). The
 * deletion of a case marks its deadlines, so a process looks at each existing case once. It looks at a deleted case each
 * time: a disposal may take its beginning back, and a case may be copied back from a restored table.
 */
export const showDeletion: (db: Db) => ShowDeletion = oncePerTable(lookingOnce)

function lookingOnce(db: Db): ShowDeletion {
  const cases = caseEntity(db)
  /** The ids of cases that were there. */
  const present = new Set<string>()

  return async (workspaceId, records) => {
    const unmarked = records.filter(({ case_deleted_at }) => case_deleted_at === null)
    const unknown = new Set(unmarked.map(({ case_id }) => case_id).filter((id) => !present.has(id)))
    /** When a case was deleted, by its id. */
    const deletions = new Map<string, string>()
    if (unknown.size > 0) {
      if (present.size > maxKnown) present.clear()
      const found = await fieldsById(db, cases, workspaceId, [...unknown], ['deleted_at'])
      for (const [id, { deleted_at }] of found)
        if (deleted_at === undefined) present.add(id)
        else deletions.set(id, deleted_at)
    }
    return records.map((record) => {
      const case_deleted_at = record.case_deleted_at ?? deletions.get(record.case_id) ?? null
      return case_deleted_at === record.case_deleted_at ? record : { ...record, case_deleted_at }
    })
  }
}
