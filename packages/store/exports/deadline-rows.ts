import type { DeadlineRecord, DeadlineState, ListedDeadline } from '#deadlines/ports.ts'
import type { RowSource, SourceQuery } from '#exports/ports.ts'
import type { Row } from '#exports/table-schema.ts'
import { overBefore } from '#german-time/time-limit.ts'
import { idPrefixes } from '#kernel/id.ts'
import { beaEvidenceNames, type EvidenceFacts } from '../bea/bea-evidence.ts'
import type { Db } from '../db.ts'
import { completeDeadlines } from '../deadlines/complete-deadlines.ts'
import { dueLists, placeOf } from '../deadlines/due-lists.ts'
import { documentEvidence } from '../documents/document-evidence.ts'
import { momentRange } from './date-ranges.ts'
import { joinedNames } from './joined-names.ts'

/** How the domain derives cells from a deadline: its status at a moment, and texts of one line (F4, F15, F16). */
export type DeadlineCells = {
  statusOf: (record: Pick<DeadlineRecord, 'due_at' | 'completed_at' | 'verified_by'>, at: Date) => string
  isOverdue: (record: Pick<DeadlineRecord, 'due_at' | 'completed_at' | 'struck_at'>, at: Date) => boolean
  evidenceId: (evidence: DeadlineRecord['evidence']) => string | undefined
  evidenceCell: (evidence: NonNullable<DeadlineRecord['evidence']>, name?: string) => string
  reasoningCell: (basis: NonNullable<DeadlineRecord['basis']>) => string
}

/** The first batch is small, so that a preview is cheap. */
const batchSizes = { first: 50, later: 200 } as const

/** Deadlines in the order of their due times, but struck ones. Records are read only if a field needs their basis. */
export function deadlineRows(
  db: Db,
  cellsOf: DeadlineCells,
  nameOfMessage: (message: EvidenceFacts, timeZone: string) => string,
): RowSource {
  const evidence = { ...documentEvidence(db), ...beaEvidenceNames(db, nameOfMessage) }
  const lists = dueLists(db)
  const complete = completeDeadlines(db)

  /** Deadlines in order. One whose due time moved past the place that was read is given once. */
  async function* inOrder(query: SourceQuery): AsyncGenerator<ListedDeadline[]> {
    const wanted = { ...statesAndTimes(query), case_id: query.filters.case_id }
    const given = new Set<string>()
    let after: string | undefined
    for (let limit: number = batchSizes.first; ; limit = batchSizes.later) {
      const records = await lists.due(query.workspace_id, wanted, { after, limit })
      const last = records.at(-1)
      if (last === undefined) return
      yield records.filter(({ id }) => !given.has(id) && given.add(id))
      after = placeOf(last)
    }
  }

  return async function* (query) {
    const { workspace_id, time_zone, fields, now } = query
    const names = joinedNames(db, workspace_id)
    const hasTitle = fields.has('file_number') || fields.has('case_name')
    const proofsOf = names.of(async (ids) => {
      const [documents, messages] = await Promise.all([
        evidence.documentNames(workspace_id, ids.filter(isOfDocument)),
        evidence.beaMessageNames(
          workspace_id,
          ids.filter((id) => !isOfDocument(id)),
          time_zone,
        ),
      ])
      return [...documents, ...messages]
    })
    const named = nameFields.filter((field) => fields.has(`${field}_name`))
    const hasBasis = basisFields.some((field) => fields.has(field))
    for await (const listed of inOrder(query)) {
      const records = hasBasis ? await complete(listed) : listed.map((one) => ({ ...one, basis: null }))
      const [titles, users, proofs] = await Promise.all([
        names.cases(hasTitle ? records.map(({ case_id }) => case_id) : []),
        names.users(records.flatMap((one) => named.map((field) => userOf(one, field)))),
        proofsOf(
          fields.has('evidence') ? records.map((one) => cellsOf.evidenceId(one.evidence) ?? null) : [],
        ),
      ])
      yield records.map((one) => ({
        title: one.title,
        frist_type: one.frist_type,
        due_at: one.due_at,
        status: cellsOf.statusOf(one, now),
        overdue: cellsOf.isOverdue(one, now),
        category: one.category,
        case_id: one.case_id,
        file_number: titles.get(one.case_id)?.file_number ?? null,
        case_name: titles.get(one.case_id)?.name ?? null,
        ...userCells(one, users),
        verified_at: one.verified_at,
        completed_at: one.completed_at,
        evidence:
          one.evidence &&
          cellsOf.evidenceCell(one.evidence, proofs.get(cellsOf.evidenceId(one.evidence) ?? '')),
        receipt_at: momentOf(one.evidence?.receipt_at),
        exit_control_at: one.exit_control?.at ?? null,
        extension: one.extension?.state ?? null,
        requested_until: one.extension?.requested_until ?? null,
        provisional_for: one.provisional_for,
        ...basisCells(one.basis, cellsOf),
        id: one.id,
        created_at: one.created_at,
      }))
    }
  }
}

function isOfDocument(id: string): boolean {
  return id.startsWith(idPrefixes.document)
}

/** The users of a deadline: a column for the id of each, and one for the name. */
const nameFields = ['assigned_to', 'verified_by', 'completed_by', 'exit_control_by'] as const

function userOf(record: ListedOrComplete, field: (typeof nameFields)[number]): string | null {
  return field === 'exit_control_by' ? (record.exit_control?.by ?? null) : record[field]
}

function userCells(record: ListedOrComplete, users: ReadonlyMap<string, { name: string }>): Row {
  const cells: Row = {}
  for (const field of nameFields) {
    const id = userOf(record, field)
    cells[field] = id
    cells[`${field}_name`] = users.get(id ?? '')?.name ?? null
  }
  return cells
}

type ListedOrComplete = Omit<DeadlineRecord, 'basis'>

/** How the due time was calculated (F13): only the record has it. */
const basisFields = [
  'preset',
  'statute',
  'event_date',
  'posted_on',
  'pronounced_on',
  'calculated_date',
  'due_date',
  'region',
  'steps',
] as const

function basisCells(basis: DeadlineRecord['basis'], { reasoningCell }: DeadlineCells): Row {
  const cells: Row = {}
  for (const field of basisFields)
    cells[field] = basis === null ? null : field === 'steps' ? reasoningCell(basis) : basis[field]
  return cells
}

/** In UTC with milliseconds, as every moment of an export. */
function momentOf(at: string | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}

/** The recorded states and due times of a status, which also depends on the present moment (F4). */
function statesAndTimes(query: SourceQuery): {
  states: DeadlineState[]
  from?: string | undefined
  until?: string | undefined
} {
  const { from, until } = momentRange(query)
  const now = overBefore(query.now).toISOString()
  switch (query.filters.status) {
    case undefined:
      return { states: ['open', 'verified', 'completed'], from, until }
    case 'pending':
      return { states: ['open'], from: from === undefined || from < now ? now : from, until }
    case 'expired':
      return { states: ['open'], from, until: until === undefined || until > now ? now : until }
    case 'verified':
      return { states: ['verified'], from, until }
    case 'completed':
      return { states: ['completed'], from, until }
    default:
      return { states: [] }
  }
}
