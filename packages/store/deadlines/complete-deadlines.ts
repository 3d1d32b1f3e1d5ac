import type { DeadlineStore } from '#deadlines/ports.ts'
import type { Db } from '../db.ts'
import { deadlineRecords } from './deadline-record.ts'

/** Completes deadlines of a list: reads the records of the deadlines that have a basis. */
export function completeDeadlines(db: Db): DeadlineStore['complete'] {
  const { findAll } = deadlineRecords(db)

  return async (listed) => {
    const ids = listed.filter(({ has_basis }) => has_basis).map(({ id }) => id)
    const [first] = listed
    const found = first === undefined || ids.length === 0 ? [] : await findAll(first.workspace_id, ids)
    const records = new Map(found.map((record) => [record.id, record]))
    return listed.flatMap(({ has_basis, ...rest }) => {
      if (!has_basis) return [{ ...rest, basis: null }]
      const record = records.get(rest.id)
      const wasStruck = record?.struck_at !== null && rest.struck_at === null
      return record === undefined || wasStruck ? [] : [record]
    })
  }
}
