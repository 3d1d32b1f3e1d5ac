import { fieldsById } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import type { Db } from '../db.ts'
import { folderEntity } from '../folders/folder-entity.ts'
import { userEntity } from '../workspace/user-entity.ts'

/** Finds the values for these ids; unknown ids and nulls are left out. Without ids it reads nothing. */
type Lookup<Found> = (ids: (string | null)[]) => Promise<ReadonlyMap<string, Found>>

/** Values of each kind kept in memory. */
const maxKept = 2_000

/**
 * The values that rows show beside the ids of other records. Deleted records are included, since the rows still name
 * them. Ids that were looked up lately are not read again, so an export shows a record under one name as far as its
 * memory reaches.
 */
export function joinedNames(db: Db, workspace_id: string) {
  const cases = caseEntity(db)
  const users = userEntity(db)
  const folders = folderEntity(db)
  return {
    /** A look-up by a function of the ids; its results are kept like the others. */
    of: lookup<string>,
    cases: lookup((ids) => fieldsById(db, cases, workspace_id, ids, ['name', 'file_number'])),
    users: lookup((ids) => fieldsById(db, users, workspace_id, ids, ['name'])),
    folders: lookup((ids) => fieldsById(db, folders, workspace_id, ids, ['name'])),
  }
}

function lookup<Found>(read: (ids: string[]) => Promise<Iterable<readonly [string, Found]>>): Lookup<Found> {
  const kept = new Map<string, Found | undefined>()
  return async (ids) => {
    const wanted = new Set(ids.filter((id) => id !== null))
    const missing = [...wanted].filter((id) => !kept.has(id))
    const fresh = new Map(missing.length === 0 ? [] : await read(missing))
    const found = new Map<string, Found>()
    for (const id of wanted) {
      const value = fresh.get(id) ?? kept.get(id)
      if (value !== undefined) found.set(id, value)
      // The value that was requested last is dropped last.
      kept.delete(id)
      kept.set(id, value)
    }
    for (const id of kept.keys()) {
      if (kept.size <= maxKept) break
      kept.delete(id)
    }
    return found
  }
}
