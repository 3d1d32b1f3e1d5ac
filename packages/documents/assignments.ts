import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { invalidAt, requireKnown } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { answered, userActor } from '#timeline/schema.ts'
import { applyAssignment } from './apply-assignment.ts'
import { assignDocuments } from './jobs.ts'
import { requireParties, withReservedParties } from './party-references.ts'
import type { BulkAssignmentOrder, DocumentDeps, DocumentRecord } from './ports.ts'
import type { Assignment, BulkAssignment, Document } from './schema.ts'
import { documentViews, requireDocument } from './views.ts'

/** The maximum size of a Lambda function's answer, which contains the body as a JSON string. */
const maxAnswerBytes = 6_000_000

/** Assigns documents to cases, folders and parties (D7). */
export function assignments({ store, parties, enqueue, clock }: DocumentDeps) {
  const views = documentViews({ store, parties })

  /** Checks that case, folder and parties exist, then runs `work`. The parties cannot be deleted before it ends. */
  const withOrder = async <Result>(
    actor: Actor,
    assignment: Assignment,
    records: DocumentRecord[],
    work: (order: Omit<BulkAssignmentOrder, 'document_ids'>) => Promise<Result>,
  ): Promise<Result> => {
    const { workspace_id } = actor
    const { case_id = null, folder_id = null, party_ids, primary_party_id } = assignment
    await store.requireAll(workspace_id, { case_id, folder_id })
    const partyIds = [...new Set(party_ids ?? [])]
    const names = await requireParties(parties, workspace_id, [
      ...partyIds,
      ...(primary_party_id ? [primary_party_id] : []),
    ])
    const order = {
      assignment,
      party_names: Object.fromEntries(names),
      actor: userActor(actor),
      at: laterThan(records, timestamp(clock)),
    }
    return withReservedParties(parties, partyIds, records, () => work(order))
  }

  return {
    /**
     * Assigns a document to case, folder and parties.
     *
     * @throws Failure DOCUMENT_NOT_FOUND, CASE_NOT_FOUND, FOLDER_NOT_FOUND, PARTY_NOT_FOUND, VALIDATION_ERROR,
     * LEGAL_HOLD, PRECONDITION_FAILED
     */
    async assign(
      actor: Actor,
      id: string,
      assignment: Assignment,
      precondition: Precondition<Document> = anyState,
    ): Promise<Answered<Document>> {
      const before = await requireDocument(store, actor.workspace_id, id)
      return withOrder(actor, assignment, [before], async (order) => {
        const viewOf = await views.prepareView([before], order.party_names)
        return store.change(actor.workspace_id, id, (current) => {
          precondition(viewOf(current))
          return answered(current, applyAssignment(current, order), viewOf)
        })
      })
    },

    /**
     * Like `assign`, for several documents, all or none.
     *
     * @throws Failure like `assign`; also VALIDATION_ERROR if the answer would be too large
     */
    async assignAll(
      actor: Actor,
      { document_ids, ...assignment }: BulkAssignment,
    ): Promise<Answered<{ data: Document[] }>> {
      const { workspace_id } = actor
      const ids = [...new Set(document_ids)]
      const before = inOrder(ids, await store.findAll(workspace_id, ids))
      return withOrder(actor, assignment, before, async (order) => {
        // Once an order is recorded, it is always completed. So all checks come first, and the answer shows the result.
        const after = before.map((record) => applyAssignment(record, order)?.record ?? record)
        const left = before.flatMap(({ case_id }, at) =>
          case_id === null || case_id === after[at]?.case_id ? [] : [case_id],
        )
        await store.requireUnheld(workspace_id, [...new Set(left)])
        const viewOf = await views.prepareView(before, order.party_names)
        const answer = { data: after.map(viewOf) }
        requireAnswerable(answer)
        const assign = assignDocuments.of({ workspace_id, ...order, document_ids: ids })
        return enqueue([assign], { answer })
      })
    },
  }
}

/** @throws Failure VALIDATION_ERROR if the answer is too large: Lambda would refuse it after the change was made */
function requireAnswerable(answer: object): void {
  if (Buffer.byteLength(JSON.stringify(JSON.stringify(answer))) > maxAnswerBytes)
    throw invalidAt(
      'body.document_ids',
      'The answer with these documents would be too large. Assign fewer documents at once.',
    )
}

/** The time of a new order: now, or just after the latest assignment of these documents, because clocks differ. */
export function laterThan(records: DocumentRecord[], now: string): string {
  const before = records
    .flatMap((record) => Object.values(record.assigned_at))
    .map((at) => Date.parse(at ?? '') || 0)
  const latest = before.reduce((one, other) => Math.max(one, other), 0)
  return new Date(Math.max(Date.parse(now), latest + 1)).toISOString()
}

/** @throws Failure DOCUMENT_NOT_FOUND if one is missing */
function inOrder(ids: string[], records: DocumentRecord[]): DocumentRecord[] {
  const byId = new Map(records.map((record) => [record.id, record]))
  requireKnown(ids, byId, 'DOCUMENT_NOT_FOUND', 'body.document_ids')
  return ids.flatMap((id) => byId.get(id) ?? [])
}
