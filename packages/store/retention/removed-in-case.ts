import type { Db } from '../db.ts'
import { type Action, put } from '../transact.ts'
import { leftCase, removedInCase } from './disposal-part-entity.ts'

/** The action that notes a deleted record of a case, which no list names any more. None for a record of no case. */
export function noteRemoved(
  db: Db,
  record: { workspace_id: string; id: string; case_id?: unknown },
): Action[] {
  const { workspace_id, id, case_id } = record
  return typeof case_id === 'string' ? [put(removedInCase(db).put({ workspace_id, id, case_id }))] : []
}

/** The action that notes the case that a record leaves, whose timeline goes on quoting it. None if it leaves none. */
export function noteLeft(
  db: Db,
  after: { workspace_id: string; id: string; case_id: string | null },
  before: { case_id: string | null } | undefined,
): Action[] {
  const { workspace_id, id } = after
  const case_id = before?.case_id ?? null
  if (case_id === null || case_id === after.case_id) return []
  return [put(leftCase(db).put({ workspace_id, id, case_id }))]
}
