import type { Triage } from '#triage/schema.ts'
import { fieldsById } from '../batch.ts'
import type { Db } from '../db.ts'
import { rewrite } from '../rewrite.ts'
import type { Action } from '../transact.ts'
import { triageEntity } from './triage-entity.ts'

/** The triage results of records. It is written in the transactions of the records. */
export function triages(db: Db) {
  const items = triageEntity(db)
  const findAll = async (workspaceId: string, ids: string[]): Promise<Map<string, Triage>> => {
    const found = await fieldsById(db, items, workspaceId, ids, ['triage'])
    // Older results do not say whether they are final: the record knows if they are not.
    const read = (triage: string): Triage => ({ final: true, ...JSON.parse(triage) })
    return new Map([...found].map(([id, { triage }]) => [id, read(triage)]))
  }

  return {
    write: ({ workspace_id, id }: { workspace_id: string; id: string }, triage: Triage): Action =>
      rewrite(items, items.put({ workspace_id, id, triage: JSON.stringify(triage) }), {}),

    /** By the ids of the records; records that were not judged are left out. */
    findAll,

    /** Of one record; null if it was not judged. */
    find: async (workspaceId: string, id: string): Promise<Triage | null> =>
      (await findAll(workspaceId, [id])).get(id) ?? null,
  }
}
