import { snapshotOf } from './history.ts'
import type { Chain, DeadlineRecord, JournalEntry, WorkspaceSettings } from './ports.ts'
import {
  type DeadlineSnapshot,
  type HistoryEntry,
  historyActions,
  type Register,
  type RegisterDeadline,
  registerStates,
} from './schema.ts'
import { isOverdue, statusOf, type ViewContext } from './views.ts'

/** Looks up what the rows of the register name. */
type Lookup = (ids: { users: string[]; cases: string[]; chains: string[] }) => Promise<{
  users: Map<string, string>
  cases: Map<string, { name: string; file_number: string }>
  chains: Map<string, Chain>
}>

/**
 * The control printout of a day (F12): the entries of the journal, each with the deadline as it was after it, and the
 * deadlines due on that day as they are now. A day that does not fit into one answer comes in parts.
 */
export async function registerOf(
  {
    day,
    workspace,
    context,
    journal,
    due,
    after,
    limit,
  }: {
    day: string
    workspace: WorkspaceSettings
    context: ViewContext
    journal: JournalEntry[]
    due: DeadlineRecord[]
    /** Where the previous part ended. */
    after: string | undefined
    limit: number | undefined
  },
  lookUp: Lookup,
): Promise<{ register: Omit<Register, 'pagination'>; next: string | undefined }> {
  const [, partBefore = '0', placeBefore = ''] = after?.match(/^(\d+) (.*)$/) ?? []
  const part = Number(partBefore) + 1
  const rows: Row[] = [
    ...due.map((record) => {
      const snapshot = snapshotOf(record, context.timeZone)
      return { place: `1 ${record.due_at}#${record.id}`, snapshot, entry: undefined }
    }),
    ...journal.map(({ deadline_id, entry }) => {
      const number = String(entry.seq).padStart(8, '0')
      return { place: `2 ${entry.at}#${deadline_id}#${number}`, snapshot: entry.after, entry }
    }),
  ]
  const remaining = rows.filter(({ place }) => place > placeBefore)
  const candidates = fitting(remaining, limit, () => 0)
  const { users, cases, chains } = await lookUp({
    users: distinct(candidates.flatMap(usersOf)),
    cases: distinct(candidates.map(({ snapshot }) => snapshot.case_id)),
    chains: distinct(candidates.map(({ snapshot }) => snapshot.chain_id)),
  })
  const shown = fitting(candidates, limit, (row) => {
    const names = usersOf(row).map((id) => users.get(id))
    const found = cases.get(row.snapshot.case_id)
    return [...names, found?.name, found?.file_number].reduce((sum, name) => sum + bytesOf(name), 0)
  })
  const last = shown.at(-1)
  const next = shown.length < remaining.length && last ? `${part} ${last.place}` : undefined
  const entries = shown.flatMap(({ entry }) => {
    if (entry === undefined) return []
    const { at, actor, action, seq, before, after } = entry
    return [
      {
        at,
        actor,
        action,
        seq,
        deadline: withState(after, chains, new Date(at)),
        before: before && changedOf(before, after),
      },
    ]
  })
  const occurring = new Set(shown.flatMap(usersOf))
  const occurringCases = new Set(shown.map(({ snapshot }) => snapshot.case_id))
  const dueWithState = shown.flatMap(({ entry, snapshot }) =>
    entry === undefined ? [withState(snapshot, chains, context.now)] : [],
  )
  const register = {
    date: day,
    workspace: { id: workspace.id, name: workspace.name, time_zone: workspace.time_zone },
    generated_at: context.now.toISOString(),
    part,
    entries,
    due: dueWithState,
    totals: {
      entries: counted(
        historyActions,
        journal.map(({ entry }) => entry.action),
      ),
      due: counted(
        registerStates,
        due.map((record) => (record.struck_at === null ? statusOf(record, context.now) : 'struck')),
      ),
      control: {
        overdue: due.filter((record) => isOverdue(record, context.now)).length,
        struck_done: due.filter(({ struck_at, completed_at }) => struck_at && completed_at).length,
        struck_undone: due.filter(({ struck_at, completed_at }) => struck_at && !completed_at).length,
      },
    },
    users: [...users].filter(([id]) => occurring.has(id)).map(([id, name]) => ({ id, name })),
    cases: [...cases]
      .filter(([id]) => occurringCases.has(id))
      .map(([id, { name, file_number }]) => ({ id, name, file_number })),
  }
  return { register, next }
}

type Row = { place: string; snapshot: DeadlineSnapshot; entry: HistoryEntry | undefined }

/** A Lambda answers with at most 6 MB, including the JSON around the body. */
const maxAnswerBytes = 4_500_000

/** Bytes of a row besides the texts of users: ids, times, markup. */
const rowOverheadBytes = 3_000

/** The first rows, at least one, that fit into one answer in each format. `more` is the size of looked-up names. */
function fitting(rows: Row[], limit = Number.POSITIVE_INFINITY, more: (row: Row) => number): Row[] {
  let weight = 0
  const end = rows.findIndex((row, index) => {
    weight += rowOverheadBytes + writtenIn(row) + more(row)
    return index >= limit || (index > 0 && weight > maxAnswerBytes)
  })
  return end === -1 ? rows : rows.slice(0, end)
}

function writtenIn({ snapshot: { title, evidence }, entry }: Row): number {
  const shows =
    evidence?.type === 'note' ? evidence.text : evidence?.type === 'bea_receipt' ? evidence.message_id : ''
  // An entry shows the title before its change, too.
  const before = entry?.before
  const wasTitle = before && before.title !== title ? before.title : ''
  return [title, shows, wasTitle, entry?.actor.name].reduce((sum, one) => sum + bytesOf(one), 0)
}

/** The largest size of a text in bytes: escaped twice for JSON in JSON, or for HTML. */
function bytesOf(text = ''): number {
  return Buffer.byteLength(text) + 5 * (text.match(/[&<>"\\\s]/g)?.length ?? 0)
}

function usersOf({ snapshot, entry }: Row): string[] {
  return [...usersIn(snapshot), ...(entry?.before ? usersIn(entry.before) : [])]
}

/** The fields that the entry changed, with their values before. */
function changedOf(before: DeadlineSnapshot, after: DeadlineSnapshot): Partial<DeadlineSnapshot> {
  const names = Object.keys(before) as (keyof DeadlineSnapshot)[]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, before[name]]))
}

/** The deadline as it was at that moment, with its present chain. */
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
