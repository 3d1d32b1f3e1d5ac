import { refuseHeld } from '#cases/retention-schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Db } from '../db.ts'
import { retainedCases } from '../retention/retained-cases.ts'
import { type Action, demand } from '../transact.ts'
import { workspaceStore } from '../workspace/workspace-store.ts'
import { caseActions } from './case-actions.ts'
import { caseEntity } from './case-entity.ts'

/**
 * Refuses to delete something in a case, or to take it out, while a hold stands on the case (R2). A case that a user has
 * deleted may have a hold too, since its documents stay. The function returns the condition that the case has the same
 * holds, for the transaction, or throws Failure LEGAL_HOLD. A case that is being disposed of lets nothing go.
 */
export function heldCases({ db, clock }: { db: Db; clock: Clock }) {
  const cases = caseEntity(db)
  const retained = retainedCases(db)
  const workspaces = workspaceStore(db)
  const { letsGo } = caseActions(db)
  return async (workspace_id: string, id: string | null): Promise<Action[]> => {
    if (id === null) return []
    const [record] = await retained(workspace_id, [id])
    if (record === undefined) return [letsGo(workspace_id, id)]
    const { holds, version } = record
    if (holds !== null) {
      const { time_zone = 'UTC' } = (await workspaces.find(workspace_id)) ?? {}
      refuseHeld(holds, localDateOf(clock.now(), time_zone))
    }
    const isAsRead = cases
      .remove({ workspace_id, id })
      .where((is, { eq, notExists }) => `${eq(is.version, version)} AND ${notExists(is.disposal_id)}`)
    return [demand(isAsRead)]
  }
}
