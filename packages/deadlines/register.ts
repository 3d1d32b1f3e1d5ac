import { snapshotOf } from './history.ts'
import type { DeadlineRecord, JournalEntry, OfficeSettings } from './ports.ts'
import {
  type DeadlineSnapshot,
  historyActions,
  type Register,
  type RegisterDeadline,
  registerStates,
} from './schema.ts'
import { type Seen, statusOf } from './views.ts'

type Names = [users: Map<string, string>, cases: Map<string, { name: string; file_number: string }>]

/**
 * The control printout of a day (F12): what the journal tells of it, each deadline as it was after the entry, and
 * what is due on it, as it is now.
 */
export async function registerOf(
  {
    day,
    workspace,
    seen,
    journal,
    due,
  }: {
    day: string
    workspace: OfficeSettings
    seen: Seen
    journal: JournalEntry[]
    due: DeadlineRecord[]
  },
  namesOf: (userIds: string[], caseIds: string[]) => Promise<Names>,
): Promise<Register> {
  const entries = journal.map(({ entry: { at, actor, action, seq, before, after } }) => ({
    at,
    actor,
    action,
    seq,
    deadline: withState(after, new Date(at)),
    before,
  }))
  const dueNow = due.map((record) => withState(snapshotOf(record, seen.timeZone), seen.now))

  const shown = [
    ...entries.flatMap(({ deadline, before }) => [deadline, ...(before ? [before] : [])]),
    ...dueNow,
  ]
  const userIds = distinct(shown.flatMap(usersIn))
  const caseIds = distinct(shown.map(({ case_id }) => case_id))
  const [users, cases] = await namesOf(userIds, caseIds)
  return {
    date: day,
    workspace: { id: workspace.id, name: workspace.name, time_zone: workspace.time_zone },
    generated_at: seen.now.toISOString(),
    entries,
    due: dueNow,
    totals: {
      entries: counted(
        historyActions,
        entries.map(({ action }) => action),
      ),
      due: counted(
        registerStates,
        dueNow.map(({ state }) => state),
      ),
    },
    users: [...users].map(([id, name]) => ({ id, name })),
    cases: [...cases].map(([id, { name, file_number }]) => ({ id, name, file_number })),
  }
}

function withState(snapshot: DeadlineSnapshot, at: Date): RegisterDeadline {
  return { ...snapshot, state: snapshot.struck_at === null ? statusOf(snapshot, at) : 'struck' }
}

function usersIn({
  assigned_to,
  created_by,
  verified_by,
  delegation,
  completed_by,
  struck_by,
}: DeadlineSnapshot): string[] {
  const ids = [assigned_to, created_by, verified_by, delegation?.delegated_to, completed_by, struck_by]
  return ids.filter((id) => typeof id === 'string')
}

function counted<Name extends string>(
  names: readonly Name[],
  found: readonly Name[],
): Record<Name | 'total', number> {
  const counts = Object.fromEntries([['total', found.length], ...names.map((name) => [name, 0])]) as Record<
    Name | 'total',
    number
  >
  for (const name of found) counts[name] += 1
  return counts
}

function distinct(ids: string[]): string[] {
  return [...new Set(ids)]
}
