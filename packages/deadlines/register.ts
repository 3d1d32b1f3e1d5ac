import { snapshotOf } from './history.ts'
import type { Chain, DeadlineRecord, JournalEntry, OfficeSettings } from './ports.ts'
import {
  type DeadlineSnapshot,
  historyActions,
  type Register,
  type RegisterDeadline,
  registerStates,
} from './schema.ts'
import { isOverdue, type Seen, statusOf } from './views.ts'

/** What the register looks up of what occurs in it. */
type Lookup = (ids: { users: string[]; cases: string[]; chains: string[] }) => Promise<{
  users: Map<string, string>
  cases: Map<string, { name: string; file_number: string }>
  chains: Map<string, Chain>
}>

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
  lookUp: Lookup,
): Promise<Register> {
  const dueNow = due.map((record) => snapshotOf(record, seen.timeZone))
  const told = journal.flatMap(({ entry: { before, after } }) => (before ? [before, after] : [after]))
  const shown = [...told, ...dueNow]
  const { users, cases, chains } = await lookUp({
    users: distinct(shown.flatMap(usersIn)),
    cases: distinct(shown.map(({ case_id }) => case_id)),
    chains: distinct(shown.map(({ chain_id }) => chain_id)),
  })
  const entries = journal.map(({ entry: { at, actor, action, seq, before, after } }) => ({
    at,
    actor,
    action,
    seq,
    deadline: withState(after, chains, new Date(at)),
    before,
  }))
  const dueWithState = dueNow.map((snapshot) => withState(snapshot, chains, seen.now))
  return {
    date: day,
    workspace: { id: workspace.id, name: workspace.name, time_zone: workspace.time_zone },
    generated_at: seen.now.toISOString(),
    entries,
    due: dueWithState,
    totals: {
      entries: counted(
        historyActions,
        entries.map(({ action }) => action),
      ),
      due: counted(
        registerStates,
        dueWithState.map(({ state }) => state),
      ),
      control: {
        overdue: due.filter((record) => isOverdue(record, seen.now)).length,
        struck_done: due.filter(({ struck_at, completed_at }) => struck_at && completed_at).length,
        struck_undone: due.filter(({ struck_at, completed_at }) => struck_at && !completed_at).length,
      },
    },
    users: [...users].map(([id, name]) => ({ id, name })),
    cases: [...cases].map(([id, { name, file_number }]) => ({ id, name, file_number })),
  }
}

/** The deadline as it was at a moment, with the chain that it belongs to now. */
function withState(snapshot: DeadlineSnapshot, chains: Map<string, Chain>, at: Date): RegisterDeadline {
  const { vorfrist = null, hauptfrist = null, nachfrist = null } = chains.get(snapshot.chain_id) ?? {}
  const status = statusOf(snapshot, at)
  return {
    ...snapshot,
    type: 'frist',
    status,
    state: snapshot.struck_at === null ? status : 'struck',
    chain: { vorfrist, hauptfrist, nachfrist },
  }
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
