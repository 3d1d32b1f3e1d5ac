import { documentItem, type FilingInput, type InboxItem, type InboxState, inboxAfter } from '#inbox/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf, invalid, notFound } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { willAnswer } from '#kernel/idempotency.ts'
import type { TimelineEntry } from '#timeline/schema.ts'
import type { Triage } from '#triage/schema.ts'
import { applyAssignment } from './apply-assignment.ts'
import { laterThan } from './assignments.ts'
import { requireParties, withReservedParties } from './party-references.ts'
import type { DocumentChange, DocumentParties, DocumentRecord, DocumentStore } from './ports.ts'
import { maxParties } from './schema.ts'

/** The use cases for documents in the inbox: uploads, and documents that other systems push (I6). */
export function documentDesk({
  store,
  parties,
  users,
  findTriage,
  clock,
}: {
  store: Pick<DocumentStore, 'find' | 'change'>
  parties: DocumentParties
  users: { find: (workspaceId: string, id: string) => Promise<object | undefined> }
  /** The triage result of a document; null if it has not been judged yet. */
  findTriage: (workspaceId: string, id: string) => Promise<Triage | null>
  clock: Clock
}) {
  const requireItem = async (workspaceId: string, id: string): Promise<DocumentRecord> => {
    const record = await store.find(workspaceId, id)
    if (record === undefined || record.inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
    return record
  }

  const change = async (
    actor: Actor,
    before: DocumentRecord,
    decide: (current: DocumentRecord, by: FiledBy) => DocumentChange | undefined,
  ): Promise<InboxItem> => {
    const by = {
      actor: { type: 'user' as const, id: actor.user_id, name: actor.user_name },
      at: laterThan([before], timestamp(clock)),
    }
    const { workspace_id, id } = before
    const triage = await findTriage(workspace_id, id)
    const view = (record: DocumentRecord) => documentItem(record, requireInbox(record), triage)
    const record = await store
      .change(workspace_id, id, (current) => {
        const change = decide(current, by)
        willAnswer(view(change?.record ?? current))
        return change
      })
      .catch((error: unknown) => {
        throw failureOf(error)?.code === 'DOCUMENT_NOT_FOUND' ? notFound('INBOX_ITEM_NOT_FOUND') : error
      })
    return view(record)
  }

  return {
    /**
     * Files a document in a case, adds a party as its primary one, or assigns it to a user.
     *
     * @throws Failure INBOX_ITEM_NOT_FOUND, CASE_NOT_FOUND, PARTY_NOT_FOUND, USER_NOT_FOUND, VALIDATION_ERROR if it has
     * a hundred parties already
     */
    async file(actor: Actor, id: string, input: FilingInput): Promise<InboxItem> {
      const { workspace_id } = actor
      const before = await requireItem(workspace_id, id)
      const partyIds = input.party_id == null ? [] : [input.party_id]
      const names = await requireParties(parties, workspace_id, partyIds)
      if (input.assigned_to != null && (await users.find(workspace_id, input.assigned_to)) === undefined)
        throw notFound('USER_NOT_FOUND')
      return withReservedParties(parties, partyIds, [before], () =>
        change(actor, before, (current, by) => filed(current, input, by, Object.fromEntries(names))),
      )
    },

    /** Takes a document out of the inbox without filing it. @throws Failure INBOX_ITEM_NOT_FOUND */
    dismiss: async (actor: Actor, id: string) =>
      change(actor, await requireItem(actor.workspace_id, id), dismissed),

    /** Brings a document back into the inbox, out of its case and folder. @throws Failure INBOX_ITEM_NOT_FOUND */
    reopen: async (actor: Actor, id: string) =>
      change(actor, await requireItem(actor.workspace_id, id), reopened),
  }
}

/** The user who files a document, and the time. */
export type FiledBy = { actor: TimelineEntry['actor']; at: string }

/**
 * The change that files a document from the inbox (`inboxAfter`); undefined if nothing changes. Each case concerned
 * gets one timeline entry.
 */
export function filed(
  current: DocumentRecord,
  input: FilingInput,
  by: FiledBy,
  partyNames: Record<string, string>,
): DocumentChange | undefined {
  const assignment = { case_id: input.case_id, ...partiesAfter(current, input.party_id) }
  const assigned = applyAssignment(current, { assignment, party_names: partyNames, ...by })
  const after = assigned?.record ?? current
  const inbox = inboxAfter(requireInbox(current), {
    before: placeOf(current),
    after: placeOf(after),
    input,
    isPerson: by.actor.type === 'user',
  })
  return withInbox(current, assigned, inbox, by)
}

/** The change by which a document leaves the inbox without being filed. A filed document stays filed. */
export function dismissed(current: DocumentRecord, by: FiledBy): DocumentChange | undefined {
  const inbox = requireInbox(current)
  const isFiled = inbox.state === 'filed' || current.case_id !== null || current.folder_id !== null
  if (isFiled) return undefined
  return withInbox(current, undefined, { ...inbox, state: 'dismissed', is_decided: true }, by)
}

/** The change by which a document comes back into the inbox, out of its case and folder. */
export function reopened(current: DocumentRecord, by: FiledBy): DocumentChange | undefined {
  const inbox: InboxState = { ...requireInbox(current), state: 'open', is_decided: true }
  const isPlaced = current.case_id !== null || current.folder_id !== null
  const assignment = { case_id: null, folder_id: null }
  const assigned = isPlaced ? applyAssignment(current, { assignment, party_names: {}, ...by }) : undefined
  return withInbox(current, assigned, inbox, by)
}

function withInbox(
  current: DocumentRecord,
  assigned: DocumentChange | undefined,
  inbox: InboxState,
  { actor, at }: FiledBy,
): DocumentChange | undefined {
  const before = requireInbox(current)
  const isHandedOver = inbox.assigned_to !== before.assigned_to
  const isSame = !isHandedOver && inbox.state === before.state && inbox.is_decided === before.is_decided
  if (isSame && assigned === undefined) return undefined
  const record = assigned?.record ?? { ...current, updated_at: at, version: current.version + 1 }
  const timelineEntries = assigned?.timelineEntries ?? []
  const isOwed = isHandedOver && timelineEntries.length === 0 && record.case_id !== null
  const entry = {
    id: newId('timelineEntry'),
    type: 'document.assigned',
    occurred_at: at,
    actor,
    summary: `Dokument „${current.filename}“ zugeordnet: Zuständigkeit geändert`,
    ref: { type: 'document', id: current.id },
  }
  return {
    record: { ...record, inbox },
    timelineEntries: isOwed ? [{ case_id: record.case_id ?? '', entry }] : timelineEntries,
  }
}

/** The parties with this one as the primary one, or without the primary one. */
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

function requireInbox({ inbox }: DocumentRecord): InboxState {
  if (inbox === null) throw notFound('INBOX_ITEM_NOT_FOUND')
  return inbox
}
