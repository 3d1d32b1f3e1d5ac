import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { required } from '#kernel/failure.ts'
import type { PageOut } from '#kernel/page.ts'
import { type CaseTimelineEntry, entryOf, type TimelineEntry } from '#timeline/schema.ts'
import { type Names, partyView, withCurrentNames } from './participants.ts'
import type {
  CaseConflicts,
  CaseDeadlines,
  CaseParties,
  CaseRecord,
  CaseStore,
  CaseUsers,
  CaseWorkspaces,
} from './ports.ts'
import { closedAtOf, retentionOf } from './retention-schema.ts'
import type { Case, CaseParty } from './schema.ts'

/** The dependencies of `caseService`. */
export type CaseDeps = {
  store: CaseStore
  parties: CaseParties
  users: CaseUsers
  conflicts: CaseConflicts
  deadlines: Pick<CaseDeadlines, 'open'>
  workspaces: CaseWorkspaces
  pageOut: PageOut
  clock: Clock
}

/** Lookups, and entries of the timeline, that several use cases share. */
export function caseLookups({ store, parties, users, workspaces, clock }: CaseDeps) {
  const requireCase = async (actor: Actor, id: string): Promise<CaseRecord> => {
    return required(await store.find(actor.workspace_id, id), 'CASE_NOT_FOUND')
  }

  const partiesOf = async (record: CaseRecord, known?: Names): Promise<CaseParty[]> => {
    const readNames = (ids: string[]) => parties.names(record.workspace_id, ids)
    return (await withCurrentNames(record.parties, readNames, known)).map(partyView)
  }
  const staffOf = (record: CaseRecord, known?: Names) =>
    withCurrentNames(record.staff, (ids) => users.names(record.workspace_id, ids), known)

  const workspaceOf = async (workspaceId: string) =>
    required(await workspaces.find(workspaceId), 'WORKSPACE_NOT_FOUND')

  /** When a case was closed, and until when it must be kept (R1). */
  const retentionFields = async (record: CaseRecord): Promise<Pick<Case, 'closed_at' | 'retention'>> => {
    const closed_at = closedAtOf(record)
    if (closed_at === null) return { closed_at, retention: null }
    const { time_zone } = await workspaceOf(record.workspace_id)
    return { closed_at, retention: retentionOf(record, time_zone, clock.now()) }
  }

  /** The case as answers show it, with the current names of parties and users. */
  const viewOf = async (record: CaseRecord): Promise<Case> => {
    const [parties, staff, retention] = await Promise.all([
      partiesOf(record),
      staffOf(record),
      retentionFields(record),
    ])
    return { ...record, parties, staff, ...retention }
  }

  const entry = (
    actor: Actor,
    record: { id: string },
    type: string,
    summary: string,
    ref: TimelineEntry['ref'] = { type: 'case', id: record.id },
  ) => entryOf(clock, actor, { type, summary, ref })

  const timelineOf = (...args: Parameters<typeof entry>): CaseTimelineEntry[] => [
    { case_id: args[1].id, entry: entry(...args) },
  ]

  const changed = (record: CaseRecord, changes: Partial<CaseRecord>): CaseRecord => ({
    ...record,
    ...changes,
    updated_at: timestamp(clock),
    version: record.version + 1,
  })

  return { requireCase, partiesOf, staffOf, workspaceOf, retentionFields, viewOf, entry, timelineOf, changed }
}
