import { isDeepStrictEqual } from 'node:util'
import { localDateOf } from '#german-time/local-time.ts'
import { receiptedId } from './evidence-id.ts'
import { snapshotOf } from './history.ts'
import { type DeadlineSnapshot, type HistoryEntry, historyActions } from './history-schema.ts'
import type { Chain, DeadlineRecord, JournalEntry, ListedDeadline, WorkspaceSettings } from './ports.ts'
import { type RegisterDeadline, registerStates, type UnsignedRegister } from './register-schema.ts'
import { isOverdue, statusOf, type ViewContext } from './views.ts'

/** Looks up the names for the rows of the register. */
type Lookup = (ids: {
  users: string[]
  cases: string[]
  chains: string[]
  documents: string[]
  messages: string[]
}) => Promise<{
  users: Map<string, { name: string; active: boolean }>
  cases: Map<string, { name: string; file_number: string }>
  chains: Map<string, Chain>
  /** By the ids of documents and messages. */
  evidence: Map<string, string>
}>

/** The lists of the register in the order in which its parts hold them, before the entries of the journal. */
export const listNames = ['open_before', 'due', 'completed_without_exit_control', 'ahead'] as const

type ListName = (typeof listNames)[number]

/**
 * The control printout of a day (F12, F15, F16). It has the deadlines that are open from earlier days, due, or without
 * exit control, and the coming Vorfristen, each in its current state. It also has the entries of the journal, each with
 * the deadline as it was after the entry. A day that does not fit into one answer comes in parts.
 */
export async function registerOf(
  facts: {
    day: string
    workspace: WorkspaceSettings
    context: ViewContext
    journal: JournalEntry[]
    lists: Record<ListName, ListedDeadline[]>
    /** The oldest one without exit control that was completed before the period of the list. */
    oldestUnchecked: ListedDeadline | undefined
    /** The place where the previous part ended. */
    after: string | undefined
    limit: number | undefined
  },
  complete: (listed: readonly ListedDeadline[]) => Promise<DeadlineRecord[]>,
  lookUp: Lookup,
): Promise<{ register: UnsignedRegister; next: string | undefined }> {
  const { day, workspace, context, journal, lists, oldestUnchecked, after, limit } = facts
  const { due } = lists
  const [, partBefore = '0', placeBefore = ''] = after?.match(/^(\d+) (.*)$/) ?? []
  const part = Number(partBefore) + 1
  const places: Place[] = [
    ...listNames.flatMap((list, index) =>
      lists[list].map((listed) => ({ place: `${index} ${listed.due_at}#${listed.id}`, list, listed })),
    ),
    ...journal.map(({ deadline_id, entry }) => ({
      place: `${listNames.length} ${entry.at}#${deadline_id}#${String(entry.seq).padStart(8, '0')}`,
      entry,
    })),
  ].toSorted((one, other) => (one.place < other.place ? -1 : 1))
  const remaining = places.filter(({ place }) => place > placeBefore)
  // Reads only the records of rows that can fit into the answer: each row takes at least `rowOverheadBytes`.
  const near = remaining.slice(0, Math.min(limit ?? maxRows, maxRows))
  const completed = await complete(near.flatMap((place) => ('listed' in place ? [place.listed] : [])))
  const records = new Map(completed.map((record) => [record.id, record]))
  const rows = near.flatMap((place): Row[] => {
    if ('entry' in place) return [{ ...place, snapshot: place.entry.after }]
    const record = records.get(place.listed.id)
    if (record === undefined) return []
    return [{ ...place, entry: undefined, snapshot: snapshotOf(record, context.timeZone) }]
  })
  const candidates = fitting(rows, limit, () => 0)
  const { users, cases, chains, evidence } = await lookUp({
    users: distinct(candidates.flatMap(usersOf)),
    cases: distinct(candidates.map(({ snapshot }) => snapshot.case_id)),
    chains: distinct(candidates.map(({ snapshot }) => snapshot.chain_id)),
    documents: distinct(candidates.flatMap(documentsOf)),
    messages: distinct(candidates.flatMap(messagesOf)),
  })
  const shown = fitting(candidates, limit, (row) => {
    const names = usersOf(row).map((id) => users.get(id)?.name)
    const found = cases.get(row.snapshot.case_id)
    const proofs = proofsOf(row).map((id) => evidence.get(id))
    return [...names, found?.name, found?.file_number, ...proofs].reduce(
      (sum, name) => sum + bytesOf(name),
      0,
    )
  })
  // If every row of this part was struck meanwhile, the next part begins after them.
  const last = shown.at(-1) ?? near.at(-1)
  const isMore = last !== undefined && remaining.some(({ place }) => place > last.place)
  const next = isMore ? `${part} ${last.place}` : undefined
  const entries = shown.flatMap(({ entry }) => {
    if (entry === undefined) return []
    const { at, actor, action, seq, reason, before, after } = entry
    return [
      {
        at,
        actor,
        action,
        seq,
        reason,
        deadline: withState(after, chains, new Date(at)),
        before: before && changedOf(before, after),
      },
    ]
  })
  const occurring = new Set(shown.flatMap(usersOf))
  const occurringCases = new Set(shown.map(({ snapshot }) => snapshot.case_id))
  const occurringEvidence = new Set(shown.flatMap(proofsOf))
  const shownOf = (list: ListName) =>
    shown.flatMap((row) =>
      row.entry === undefined && row.list === list ? [withState(row.snapshot, chains, context.now)] : [],
    )
  const register = {
    date: day,
    workspace: { id: workspace.id, name: workspace.name, time_zone: workspace.time_zone },
    generated_at: context.now.toISOString(),
    part,
    entries,
    open_before: shownOf('open_before'),
    due: shownOf('due'),
    completed_without_exit_control: shownOf('completed_without_exit_control'),
    ...(oldestUnchecked?.completed_at && {
      without_exit_control_since: localDateOf(new Date(oldestUnchecked.completed_at), context.timeZone),
    }),
    ahead: shownOf('ahead'),
    totals: {
      entries: counted(
        historyActions,
        journal.map(({ entry }) => entry.action),
      ),
      due: counted(
        registerStates,
        due.map((record) => (record.struck_at === null ? statusOf(record, context.now) : 'struck')),
      ),
      open_before: lists.open_before.length,
      completed_without_exit_control: lists.completed_without_exit_control.length,
      ahead: lists.ahead.length,
      control: {
        overdue: due.filter((record) => isOverdue(record, context.now)).length,
        struck_done: due.filter(({ struck_at, completed_at }) => struck_at && completed_at).length,
        struck_undone: due.filter(({ struck_at, completed_at }) => struck_at && !completed_at).length,
      },
    },
    users: [...users]
      .filter(([id]) => occurring.has(id))
      .map(([id, { name, active }]) => ({ id, name, ...(!active && { deactivated: true as const }) })),
    cases: [...cases]
      .filter(([id]) => occurringCases.has(id))
      .map(([id, { name, file_number }]) => ({ id, name, file_number })),
    evidence: [...evidence].filter(([id]) => occurringEvidence.has(id)).map(([id, name]) => ({ id, name })),
  }
  return { register, next }
}

type Place = { place: string } & ({ list: ListName; listed: ListedDeadline } | { entry: HistoryEntry })

type Row = { place: string; snapshot: DeadlineSnapshot } & (
  | { list: ListName; entry: undefined }
  | { entry: HistoryEntry }
)

/** A Lambda answers with at most 6 MB, including the JSON around the body. */
const maxAnswerBytes = 4_500_000

/** Bytes of a row without the texts that users wrote: ids, times, markup. */
const rowOverheadBytes = 3_000

/** More rows than fit into an answer. */
const maxRows = Math.ceil(maxAnswerBytes / rowOverheadBytes) + 1

/** The first rows, at least one, that fit into one answer in each format. `more` is the size of looked-up names. */
function fitting(rows: Row[], limit = Number.POSITIVE_INFINITY, more: (row: Row) => number): Row[] {
  let weight = 0
  const end = rows.findIndex((row, index) => {
    weight += rowOverheadBytes + writtenIn(row) + more(row)
    return index >= limit || (index > 0 && weight > maxAnswerBytes)
  })
  return end === -1 ? rows : rows.slice(0, end)
}

function writtenIn({ snapshot, entry }: Row): number {
  const { title, evidence, struck_reason, extension, basis } = snapshot
  const shows =
    evidence?.type === 'note' ? evidence.text : evidence?.type === 'bea_receipt' ? evidence.message_id : ''
  // An entry shows the title and the basis before its change, too.
  const before = entry?.before
  const was = before
    ? [
        before.title !== title ? before.title : '',
        before.basis !== null && !isDeepStrictEqual(before.basis, basis) ? JSON.stringify(before.basis) : '',
      ]
    : []
  const texts = [
    title,
    shows,
    struck_reason ?? '',
    extension?.note ?? '',
    entry?.reason ?? '',
    JSON.stringify(basis),
    ...was,
  ]
  return [...texts, entry?.actor.name].reduce((sum, one) => sum + bytesOf(one), 0)
}

/** The largest size of a text in bytes: escaped twice for JSON in JSON, or for HTML. */
function bytesOf(text = ''): number {
  return Buffer.byteLength(text) + 5 * (text.match(/[&<>"\\\s]/g)?.length ?? 0)
}

function usersOf({ snapshot, entry }: Row): string[] {
  return [...usersIn(snapshot), ...(entry?.before ? usersIn(entry.before) : [])]
}

function documentsOf({ snapshot: { evidence } }: Row): string[] {
  return evidence?.type === 'document' ? [evidence.document_id] : []
}

/** The messages that are evidence, or whose receipt was given. */
function messagesOf({ snapshot: { evidence }, entry }: Row): string[] {
  const receipted = entry && receiptedId(entry)
  return [
    ...(evidence?.type === 'bea_receipt' ? [evidence.message_id] : []),
    ...(receipted === undefined ? [] : [receipted]),
  ]
}

function proofsOf(row: Row): string[] {
  return [...documentsOf(row), ...messagesOf(row)]
}

/** The fields that the entry changed, with their values before. */
function changedOf(before: DeadlineSnapshot, after: DeadlineSnapshot): Partial<DeadlineSnapshot> {
  const names = Object.keys(before) as (keyof DeadlineSnapshot)[]
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, before[name]]))
}

/** The deadline as it was at that moment, with its current chain. */
function withState(snapshot: DeadlineSnapshot, chains: Map<string, Chain>, at: Date): RegisterDeadline {
  const { vorfrist = null, hauptfrist = null, nachfrist = null } = chains.get(snapshot.chain_id) ?? {}
  const status = statusOf(snapshot, at)
  return {
    ...snapshot,
    type: 'frist',
    status,
    overdue: isOverdue(snapshot, at),
    state: snapshot.struck_at === null ? status : 'struck',
    chain: { vorfrist, hauptfrist, nachfrist },
  }
}

function usersIn(snapshot: DeadlineSnapshot): string[] {
  const ids = [
    snapshot.assigned_to,
    snapshot.created_by,
    snapshot.verified_by,
    snapshot.delegation?.delegated_to,
    snapshot.completed_by,
    snapshot.evidence?.checked_by,
    snapshot.exit_control?.by,
    snapshot.struck_by,
    snapshot.extension?.requested_by,
    snapshot.extension?.decided_by,
  ]
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
