import type { Actor } from '#kernel/actor.ts'
import { requireActive } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { type CaseDeps, caseLookups } from './lookups.ts'
import {
  distinct,
  enumerate,
  participantKey,
  refuseTooMany,
  storedName,
  withoutRepeats,
} from './participants.ts'
import type { CaseStaff } from './schema.ts'

/** The users who work on a case (C5). */
export function caseStaff(deps: CaseDeps) {
  const { store, users, pageOut } = deps
  const { requireCase, staffOf, timelineOf, changed } = caseLookups(deps)

  return {
    /** The staff, in the order in which they were assigned. @throws Failure CASE_NOT_FOUND */
    async listStaff(actor: Actor, id: string, request: PageRequest): Promise<Page<CaseStaff>> {
      const record = await requireCase(actor, id)
      const page = await pageOut(
        [actor.workspace_id, 'case_staff', id],
        record.staff,
        request,
        participantKey,
      )
      return { ...page, data: await staffOf({ ...record, staff: page.data }) }
    },

    /**
     * Assigns users, each once per role (C5).
     *
     * @throws Failure CASE_NOT_FOUND; VALIDATION_ERROR for more than 100 assignments; USER_NOT_FOUND, also for a
     *   deactivated user who is not yet assigned
     */
    async addStaff(
      actor: Actor,
      id: string,
      inputs: { id: string; role: string }[],
    ): Promise<Answered<{ data: CaseStaff[] }>> {
      const { staff: assigned } = await requireCase(actor, id)
      const ids = distinct(inputs.map((input) => input.id))
      const known = await users.known(actor.workspace_id, ids)
      const present = assigned.map((member) => member.id)
      requireActive(ids, known, 'body.staff', present)
      const names = new Map([...known].map(([userId, { name }]) => [userId, name]))
      const wanted = inputs.map(({ id: userId, role }) => ({
        id: userId,
        role,
        name: storedName(names.get(userId) ?? ''),
      }))
      return store.change(actor.workspace_id, id, async (current) => {
        const staff = withoutRepeats([...current.staff, ...wanted])
        const added = staff.slice(current.staff.length)
        const answer = { data: await staffOf({ ...current, staff }, names) }
        if (added.length === 0) return { answer }
        refuseTooMany(staff, 'body.staff')
        return {
          record: changed(current, { staff }),
          timeline: timelineOf(actor, current, 'staff.added', `Zugewiesen: ${enumerate(added)}`),
          answer,
        }
      })
    },

    /** Removes users from the case; users who are not assigned are ignored (C5). @throws Failure CASE_NOT_FOUND */
    async removeStaff(actor: Actor, id: string, userIds: string[]): Promise<CaseStaff[]> {
      return store.change(actor.workspace_id, id, async (current) => {
        const removed = current.staff.filter((member) => userIds.includes(member.id))
        const staff = current.staff.filter((member) => !userIds.includes(member.id))
        const answer = await staffOf({ ...current, staff })
        if (removed.length === 0) return { answer }
        return {
          record: changed(current, { staff }),
          timeline: timelineOf(
            actor,
            current,
            'staff.removed',
            `Zuweisung aufgehoben: ${enumerate(removed)}`,
          ),
          answer,
        }
      })
    },
  }
}
