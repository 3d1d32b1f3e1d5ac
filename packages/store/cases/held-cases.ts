import { refuseHeld } from '#cases/retention-schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Db } from '../db.ts'
import type { Action } from '../transact.ts'
import { workspaceStore } from '../workspace/workspace-store.ts'
import { caseActions } from './case-actions.ts'
import { caseRecords } from './case-records.ts'

/**
 * Refuses to delete something in a case, or to take it out, while a hold stands on the case (R2). The function returns
 * the condition that the case is unchanged, for the transaction, or throws Failure LEGAL_HOLD. A case that was deleted
 * has no holds, but is not left while it is being disposed of.
 */
export function heldCases({ db, clock }: { db: Db; clock: Clock }) {
  const cases = caseRecords(db)
  const workspaces = workspaceStore(db)
  const { letsGo } = caseActions(db)
  return async (workspace_id: string, id: string | null): Promise<Action[]> => {
    if (id === null) return []
    const record = await cases.find(workspace_id, id)
    if (record === undefined) return [letsGo(workspace_id, id)]
    const { holds } = record
    if (holds !== null) {
      const { time_zone = 'UTC' } = (await workspaces.find(workspace_id)) ?? {}
      refuseHeld(holds, localDateOf(clock.now(), time_zone))
    }
    return [cases.unchanged(record)]
  }
}
