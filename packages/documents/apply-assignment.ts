import { invalid } from '#kernel/failure.ts'
import { entriesIn } from '#timeline/schema.ts'
import type { AssignedField, BulkAssignmentOrder, DocumentChange, DocumentRecord } from './ports.ts'
import type { Assignment, DocumentParty } from './schema.ts'

/**
 * The change that an assignment makes to a document; undefined if nothing is left to do (D7). If the document moves,
 * the old and the new case get a timeline entry; otherwise its case gets one. For an announced upload there is no
 * entry.
 *
 * A bulk assignment may run late. A field that was assigned again since the order was given keeps the later value.
 *
 * @throws Failure VALIDATION_ERROR if the primary party is not one of the document's parties
 */
export function applyAssignment(
  current: DocumentRecord,
  order: Omit<BulkAssignmentOrder, 'document_ids'>,
): DocumentChange | undefined {
  const { actor, at } = order
  const assignment = withoutSuperseded(order.assignment, current.assigned_at, at)
  const stamps = Object.fromEntries(assignedFields(assignment).map((field) => [field, at]))
  const record = {
    ...current,
    case_id: assignment.case_id === undefined ? current.case_id : assignment.case_id,
    folder_id: assignment.folder_id === undefined ? current.folder_id : assignment.folder_id,
    parties: partiesAfter(current.parties, assignment, order.party_names),
    inbox: inboxAfter(current, assignment),
    assigned_at: { ...current.assigned_at, ...stamps },
    updated_at: at,
    version: current.version + 1,
  }
  const moved = record.case_id !== current.case_id
  const changed = [
    ...(record.folder_id !== current.folder_id ? ['Ordner'] : []),
    ...(!sameParties(record.parties, current.parties) ? ['Beteiligte'] : []),
  ]
  if (!moved && changed.length === 0) {
    const isDone = assignedFields(assignment).every((field) => current.assigned_at[field] === at)
    // The time is recorded even if no value changes, so that earlier orders do not change these values later.
    return isDone ? undefined : { record: { ...record, updated_at: current.updated_at }, timeline: [] }
  }

  const entries = (case_id: string | null, type: string, what: string) =>
    entriesIn(current.upload_expires_at === null ? case_id : null, {
      type,
      occurred_at: at,
      actor,
      summary: `Dokument „${current.filename}“ ${what}`,
      ref: { type: 'document', id: current.id },
    })
  const timeline = moved
    ? [
        ...entries(current.case_id, 'document.unassigned', 'aus der Akte genommen'),
        ...entries(record.case_id, 'document.assigned', 'der Akte zugeordnet'),
      ]
    : entries(record.case_id, 'document.assigned', `zugeordnet: ${changed.join(' und ')} geändert`)
  return { record, timeline }
}

/** A document leaves the inbox when it gets a case or a folder, and comes back when it has neither (I6). */
function inboxAfter(
  { inbox, case_id, folder_id }: DocumentRecord,
  assignment: Assignment,
): DocumentRecord['inbox'] {
  const { case_id: toCase = case_id, folder_id: toFolder = folder_id } = assignment
  const isPlaced = toCase !== null || toFolder !== null
  const wasPlaced = case_id !== null || folder_id !== null
  if (inbox === null || (!isPlaced && !wasPlaced)) return inbox
  return { ...inbox, state: isPlaced ? 'filed' : 'open', is_decided: true }
}

function assignedFields({ case_id, folder_id, party_ids, primary_party_id }: Assignment): AssignedField[] {
  return [
    ...(case_id !== undefined ? (['case_id'] as const) : []),
    ...(folder_id !== undefined ? (['folder_id'] as const) : []),
    ...(party_ids !== undefined || primary_party_id !== undefined ? (['parties'] as const) : []),
  ]
}

/** The assignment without the fields that were assigned again after `at`. */
function withoutSuperseded(
  assignment: Assignment,
  assignedAt: DocumentRecord['assigned_at'],
  at: string,
): Assignment {
  const isLatest = (field: AssignedField) => (assignedAt[field] ?? '') <= at
  return {
    ...(isLatest('case_id') && { case_id: assignment.case_id }),
    ...(isLatest('folder_id') && { folder_id: assignment.folder_id }),
    ...(isLatest('parties') && {
      party_ids: assignment.party_ids,
      primary_party_id: assignment.primary_party_id,
    }),
  }
}

function partiesAfter(
  current: DocumentParty[],
  { party_ids, primary_party_id }: Assignment,
  names: Record<string, string>,
): DocumentParty[] {
  const ids = party_ids === undefined ? current.map(({ id }) => id) : [...new Set(party_ids ?? [])]
  const known = new Map(current.map(({ id, name }) => [id, name]))
  const primary =
    primary_party_id !== undefined
      ? primary_party_id
      : party_ids !== undefined
        ? ids[0]
        : current.find(({ is_primary }) => is_primary)?.id
  if (primary_party_id && !ids.includes(primary_party_id)) {
    throw invalid('The primary party is not one of the document’s parties: add it to `party_ids`.', [
      { path: 'body.primary_party_id', message: 'This party is not assigned.' },
    ])
  }
  return ids.map((id) => ({
    id,
    name: names[id] ?? known.get(id) ?? '',
    is_primary: id === primary,
  }))
}

function sameParties(one: DocumentParty[], other: DocumentParty[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ id, is_primary }, at) => other[at]?.id === id && other[at]?.is_primary === is_primary)
  )
}
