import type { DeadlineRecord, DeadlineStore } from '#deadlines/ports.ts'
import { getsById, readAll } from '../batch.ts'
import type { Db } from '../db.ts'
import { deadlineEntity } from './deadline-entity.ts'
import { deadlineOf } from './deadline-record.ts'

/** Completes deadlines of a list: reads the records of those that have a basis. */
export function completeDeadlines(db: Db): DeadlineStore['complete'] {
  const deadlines = deadlineEntity(db)

  return async (listed) => {
    const ids = listed.filter(({ has_basis }) => has_basis).map(({ id }) => id)
    const [first] = listed
    const records = new Map<string, DeadlineRecord>()
    if (first !== undefined && ids.length > 0) {
      const gets = getsById(ids, (id) => deadlines.get({ workspace_id: first.workspace_id, id }))
      for (const item of await readAll(db, gets)) {
        const { data } = deadlines.parse({ Item: item })
        if (data !== null) records.set(data.id, deadlineOf(data))
      }
    }
    return listed.flatMap(({ has_basis, ...rest }) => {
      if (!has_basis) return [{ ...rest, basis: null }]
      const record = records.get(rest.id)
      const wasStruck = record?.struck_at !== null && rest.struck_at === null
      return record === undefined || wasStruck ? [] : [record]
    })
  }
}
