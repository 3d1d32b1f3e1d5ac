import { dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import { instantOfLocalTime, localDateOf } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { invalidAt } from '#kernel/failure.ts'
import { newId, timeOf } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { type ShownChanges, shownChanges } from '#kernel/updated-since.ts'
import type { TimelineEntry } from '#timeline/schema.ts'
import { caseParties } from './case-parties.ts'
import { caseStaff } from './case-staff.ts'
import {
  changeableFields,
  describeChange,
  type Ended,
  maxCounted,
  neverClosed,
  openWarnings,
} from './case-texts.ts'
import { caseHolds } from './holds.ts'
import { markDeadlines, unlinkCase } from './jobs.ts'
import { caseLinks } from './links.ts'
import { type CaseDeps, caseLookups } from './lookups.ts'
import type { CaseRecord } from './ports.ts'
import { closedAtAfter, closedAtOf, refuseHeld } from './retention-schema.ts'
import type {
  Case,
  CaseChanges,
  CaseDeletion,
  CaseInput,
  CaseQuery,
  CaseSummary,
  ChangedCase,
} from './schema.ts'

export type CaseService = ReturnType<typeof caseService>

/** Operations on cases, and on their parties, staff, links, holds and timelines (C1 to C8, R2). */
export function caseService(deps: CaseDeps) {
  const { store, deadlines, clock } = deps
  const { requireCase, workspaceOf, retentionFields, viewOf, entry, timelineOf, changed } = caseLookups(deps)

  const warningsOf = async (
    what: Ended,
    { workspace_id, id }: Pick<CaseRecord, 'workspace_id' | 'id'>,
  ): Promise<string[]> => {
    const open = await deadlines.open(workspace_id, id, maxCounted + 1)
    if (open.length === 0) return []
    return openWarnings(what, open, (await workspaceOf(workspace_id)).time_zone)
  }

  /**
   * The time of the closing that a request gives: noon of `closed_on`, so that it is on this day in every time zone of
   * Europe. If noon is still to come, it is now. Undefined if no day is given, or the case already has this day.
   *
   * @throws Failure VALIDATION_ERROR for an open case, and for a day in the future
   */
  const givenClosing = async (
    current: CaseRecord,
    { status = current.status, closed_on }: CaseChanges,
  ): Promise<string | undefined> => {
    if (!closed_on) return undefined
    if (status === 'active')
      throw invalidAt('body.closed_on', 'Only a closed or archived case has a day of closing.')
    const { time_zone } = await workspaceOf(current.workspace_id)
    const now = timestamp(clock)
    const dayOf = (at: string) => localDateOf(new Date(at), time_zone)
    if (closed_on > dayOf(now))
      throw invalidAt('body.closed_on', 'The day of closing must not be after today.')
    const closedAt = closedAtOf(current)
    if (closedAt !== null && dayOf(closedAt) === closed_on) return undefined
    const noon = instantOfLocalTime(closed_on, '12:00:00', time_zone).toISOString()
    return noon < now ? noon : now
  }

  return {
    ...caseParties(deps),
    ...caseStaff(deps),
    ...caseLinks(deps),
    ...caseHolds(deps),

    /**
     * A page of cases, newest first, with filters and search (C3). With `updated_since`: the cases that were changed
     * since then, oldest change first (G16).
     */
    async list(actor: Actor, query: CaseQuery): Promise<Page<CaseSummary> | ShownChanges<CaseSummary>> {
      const { updated_since: since } = query
      if (since === undefined) return store.page(actor.workspace_id, query)
      return shownChanges(await store.changes(actor.workspace_id, query, since), (records) => records)
    },

    /** Opens a case (C1). @throws Failure FILE_NUMBER_TAKEN */
    async open(actor: Actor, input: CaseInput): Promise<Answered<Case>> {
      const id = newId('case')
      // The time comes from the id, so that ids and creation times have the same order.
      const now = timeOf(id).toISOString()
      const record = {
        workspace_id: actor.workspace_id,
        id,
        ...input,
        status: 'active' as const,
        closed_at: null,
        holds: null,
        created_at: now,
        updated_at: now,
        version: 1,
      }
      return store.add({ ...record, parties: [], staff: [] }, (numbered) => ({
        record: numbered,
        timeline: timelineOf(
          actor,
          numbered,
          'case.created',
          `Akte ${numbered.file_number} „${input.name}“ angelegt`,
        ),
        answer: { ...numbered, parties: [], staff: [], retention: null },
      }))
    },

    /** @throws Failure CASE_NOT_FOUND */
    get: async (actor: Actor, id: string): Promise<Case> => viewOf(await requireCase(actor, id)),

    /**
     * Changes the included fields (C2). `closed_on` sets the day of the closing (R1). The answer has a warning if a
     * case is closed or archived with open deadlines, or is archived without being closed.
     *
     * @throws Failure CASE_NOT_FOUND, FILE_NUMBER_TAKEN, PRECONDITION_FAILED; VALIDATION_ERROR for a `closed_on` of an
     *   open case or after today
     */
    async change(
      actor: Actor,
      id: string,
      changes: CaseChanges,
      precondition: Precondition<Case> = anyState,
    ): Promise<ChangedCase> {
      return store.change(actor.workspace_id, id, async (current) => {
        const before = await viewOf(current)
        precondition(before)
        const differing = changeableFields.filter(
          (field) => changes[field] !== undefined && changes[field] !== current[field],
        )
        const closing = await givenClosing(current, changes)
        if (differing.length === 0 && closing === undefined) return { answer: before }
        const values = Object.fromEntries(differing.map((field) => [field, changes[field]]))
        const parts = [
          ...differing.map((field) => describeChange(field, current[field], changes[field])),
          ...(closing ? [`geschlossen am ${germanDate(dayNumberOf(changes.closed_on ?? ''))}`] : []),
        ]
        const summary = `Akte geändert: ${parts.join(', ')}`
        const { status = current.status } = changes
        const changing = entry(actor, current, 'case.updated', summary)
        const closed_at = closing ?? closedAtAfter(current, status, changing.occurred_at)
        const record = changed(current, { ...values, closed_at })
        const { parties, staff } = before
        const ended = status === 'closed' ? 'geschlossene' : 'archivierte'
        const isEnded = current.status === 'active' && status !== 'active'
        const warnings = isEnded
          ? [...(closed_at === null ? [neverClosed] : []), ...(await warningsOf(ended, current))]
          : []
        const answer = { ...record, parties, staff, ...(await retentionFields(record)) }
        return {
          record,
          timeline: [{ case_id: id, entry: changing }],
          answer: warnings.length === 0 ? answer : { ...answer, warnings },
        }
      })
    },

    /**
     * Deletes a case (C8). Its deadlines stay. From then on they show that the case was deleted.
     *
     * @returns a warning if some of these deadlines are open; otherwise undefined
     * @throws Failure CASE_NOT_FOUND, PRECONDITION_FAILED, LEGAL_HOLD
     */
    async remove(
      actor: Actor,
      id: string,
      precondition: Precondition<Case> = anyState,
    ): Promise<CaseDeletion | undefined> {
      return store.remove(actor.workspace_id, id, async (current) => {
        if (precondition !== anyState) precondition(await viewOf(current))
        if (current.holds !== null) {
          const { time_zone } = await workspaceOf(actor.workspace_id)
          refuseHeld(current.holds, localDateOf(clock.now(), time_zone))
        }
        // This is read before the deletion. If the read came after the deletion and failed, the caller would get an
        // error although the case is gone.
        const warnings = await warningsOf('gelöschte', current)
        const { id: _, ...unlinked } = entry(
          actor,
          current,
          'link.removed',
          `Verknüpfung mit Akte ${current.file_number} entfallen: die Akte wurde gelöscht`,
        )
        const deleted = entry(
          actor,
          current,
          'case.deleted',
          `Akte ${current.file_number} „${current.name}“ gelöscht`,
        )
        const ofCase = { workspace_id: actor.workspace_id, case_id: id }
        return {
          deleted_at: deleted.occurred_at,
          timeline: [{ case_id: id, entry: deleted }],
          jobs: [
            unlinkCase.of({ ...ofCase, entry: unlinked }),
            markDeadlines.of({ ...ofCase, deleted_at: deleted.occurred_at }),
          ],
          answer: warnings.length === 0 ? undefined : { warnings },
        }
      })
    },

    /** The timeline of the case, newest first (C6). @throws Failure CASE_NOT_FOUND */
    async timeline(actor: Actor, id: string, page: PageRequest): Promise<Page<TimelineEntry>> {
      await requireCase(actor, id)
      return store.timeline(actor.workspace_id, id, page)
    },
  }
}
