import { type FiledBy, filingOf, requireInbox } from '#inbox/filing-schema.ts'
import type { FilingInput } from '#inbox/schema.ts'
import type { InboxState } from '#inbox/state-schema.ts'
import { invalid } from '#kernel/failure.ts'
import { entriesIn } from '#timeline/schema.ts'
import { applyAssignment } from './apply-assignment.ts'
import type { DocumentChange, DocumentRecord } from './ports.ts'
import { maxParties } from './schema.ts'

/** Files documents of the inbox. The given party becomes the primary one. Each changed case gets a timeline entry. */
const filing = filingOf<DocumentRecord, FiledBy & { party_names?: Record<string, string> }, DocumentChange>({
  isFiled: ({ inbox, case_id, folder_id }) =>
    inbox.state === 'filed' || case_id !== null || folder_id !== null,
  placeOf,
  reopened: ({ case_id, folder_id }) =>
    case_id === null && folder_id === null ? {} : { case_id: null, folder_id: null },
  changed: (current, { case_id, folder_id, party_id }, inboxStateAt, { party_names = {}, ...by }) => {
    const assignment = { case_id, folder_id, ...partiesAfter(current, party_id) }
    const assigned = applyAssignment(current, { assignment, party_names, ...by })
    return withInbox(current, assigned, inboxStateAt(placeOf(assigned?.record ?? current)), by)
  },
})

export const { dismissed, reopened } = filing

/** The change that files a document of the inbox. `party_names`: the names of the parties that it gets, by id. */
export function filed(
  current: DocumentRecord,
  input: FilingInput,
  by: FiledBy,
  party_names: Record<string, string>,
): DocumentChange | undefined {
  return filing.filed(current, input, { ...by, party_names })
}

function withInbox(
  current: DocumentRecord,
  assigned: DocumentChange | undefined,
  inbox: InboxState,
  { actor, at }: FiledBy,
): DocumentChange | undefined {
  const before = requireInbox(current)
  const isReassigned = inbox.assigned_to !== before.assigned_to
  const isSame = !isReassigned && inbox.state === before.state && inbox.is_decided === before.is_decided
  if (isSame && assigned === undefined) return undefined
  const record = assigned?.record ?? { ...current, updated_at: at, version: current.version + 1 }
  const timeline = assigned?.timeline ?? []
  const entries = entriesIn(record.case_id, {
    type: 'document.assigned',
    occurred_at: at,
    actor,
    summary: `Dokument „${current.filename}“ zugeordnet: Zuständigkeit geändert`,
    ref: { type: 'document', id: current.id },
  })
  return {
    record: { ...record, inbox },
    timeline: isReassigned && timeline.length === 0 ? entries : timeline,
  }
}

/** The parties, with the given one first, as the primary one. Null removes the primary party. */
function partiesAfter(
  { parties }: DocumentRecord,
  party_id: string | null | undefined,
): { party_ids?: string[]; primary_party_id?: string | null } {
  if (party_id === undefined) return {}
  const others = parties.filter(({ id, is_primary }) => (party_id === null ? !is_primary : id !== party_id))
  const party_ids = [...(party_id === null ? [] : [party_id]), ...others.map(({ id }) => id)]
  if (party_ids.length > maxParties)
    throw invalid('The document has too many parties.', [
      { path: 'body.party_id', message: `At most ${maxParties}.` },
    ])
  return { party_ids, primary_party_id: party_id }
}

function placeOf({ case_id, folder_id, parties }: DocumentRecord) {
  return { case_id, folder_id, party_id: parties.find(({ is_primary }) => is_primary)?.id ?? null }
}
