import { epochMilliseconds } from '#kernel/clock.ts'
import { changeLog } from '../change-log.ts'
import type { Db } from '../db.ts'
import type { Action } from '../transact.ts'

/** The lists of changes, by the kind of records, and what their entries say of a removed record: nothing of it. */
const logs: Record<string, { list: string; was: object }> = {
  case: { list: 'cases', was: { filters: [], text: '' } },
  document: { list: 'documents', was: { filters: [], text: '' } },
  correspondence: { list: 'correspondence', was: { filters: [], text: '' } },
  deadline: {
    list: 'deadlines',
    was: { case_id: '', assigned_to: '', due_at: '9999-12-31T00:00:00.000Z', state: 'open' },
  },
  event: {
    list: 'events',
    was: { type: 'event', all_day: false, case_id: null, starts_at: '0', ends_at: '9', participants: [] },
  },
}

const goneData = new Set(Object.values(logs).map(({ was }) => JSON.stringify({ was })))

/** The partitions of the lists of changes, without the workspace. */
export const changePartitions = [...new Set(Object.values(logs).map(({ list }) => `changes#${list}`))]

/** Notes in the log of changes that a record is gone, for the transaction that removes it. */
export function goneChange(db: Db, workspaceId: string, kind: string, id: string): Action[] {
  const log = logs[kind]
  if (log === undefined) return []
  const at = new Date(epochMilliseconds()).toISOString()
  return changeLog<object>(db, log.list).add(workspaceId, id, at, { was: log.was })
}

/** Whether an entry of the log of changes says of its record no more than that it is gone. */
export function isGoneChange(data: string): boolean {
  return goneData.has(data)
}
