import { getsById, readAll } from '../batch.ts'
import type { Db } from '../db.ts'
import { caseEntity } from './case-entity.ts'

/** The fields of a deadline about its case. */
type OfCase = { case_id: string; case_deleted_at: string | null }

type ShowDeletion = <Stored extends OfCase>(workspaceId: string, records: Stored[]) => Promise<Stored[]>

/** How many cases a process remembers. */
const maxKnown = 20_000

const ofDb = new WeakMap<Db, ShowDeletion>()

/**
 * Shows on deadlines that their case was deleted, also on deadlines that were not marked at the deletion (C8). The
 * deletion of a case marks its deadlines, so a process looks at each case once: one that was there then is marked when
 * it goes. A disposal may take its beginning back, so a case that one has begun with is looked at each time.
 */
export function showDeletion(db: Db): ShowDeletion {
  const known = ofDb.get(db)
  if (known !== undefined) return known
  const show = lookingOnce(db)
  ofDb.set(db, show)
  return show
}

function lookingOnce(db: Db): ShowDeletion {
  const cases = caseEntity(db)
  /** When a case was deleted, by its id; null for one that was there. */
  const deletions = new Map<string, string | null>()

  return async (workspaceId, records) => {
    const unmarked = records.filter(({ case_deleted_at }) => case_deleted_at === null)
    const unknown = new Set(unmarked.map(({ case_id }) => case_id).filter((id) => !deletions.has(id)))
    /** The cases that a disposal has begun with. */
    const begun = new Map<string, string>()
    if (unknown.size > 0) {
      if (deletions.size > maxKnown) deletions.clear()
      const gets = getsById([...unknown], (id) => cases.get({ workspace_id: workspaceId, id }))
      const found = await readAll(db, gets, ['id', 'deleted_at', 'disposal_id'])
      for (const { id, deleted_at = null, disposal_id } of found)
        if (disposal_id === undefined) deletions.set(id as string, deleted_at as string | null)
        else begun.set(id as string, deleted_at as string)
    }
    return records.map((record) => {
      const { case_id } = record
      const case_deleted_at = record.case_deleted_at ?? begun.get(case_id) ?? deletions.get(case_id) ?? null
      return case_deleted_at === record.case_deleted_at ? record : { ...record, case_deleted_at }
    })
  }
}
