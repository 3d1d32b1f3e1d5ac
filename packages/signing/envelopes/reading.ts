import type { Actor } from '#kernel/actor.ts'
import { notFound } from '#kernel/failure.ts'
import { isIntact } from '#kernel/hash-chain.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { EnvelopeRecord } from '../ports.ts'
import type { CaseEnvelope, Envelope, EnvelopeAudit, EnvelopeQuery } from '../schema.ts'
import { type SigningDeps, signingLookups } from './lookups.ts'
import { caseEnvelopeView, envelopeView } from './views.ts'

/** Reading envelopes (S4, S8, S10). Reading an expired envelope records its expiry. */
export function readingEnvelopes(deps: SigningDeps) {
  const { store, cases, clock } = deps
  const { requireCurrent, recordOverdue } = signingLookups(deps)

  const pageOf = async <View>(
    actor: Actor,
    query: EnvelopeQuery,
    view: (record: EnvelopeRecord, now: Date) => View,
  ): Promise<Page<View>> => {
    await recordOverdue(actor)
    const { data, pagination } = await store.page(actor.workspace_id, query)
    const now = clock.now()
    return { data: data.map((record) => view(record, now)), pagination }
  }

  return {
    /** @throws Failure ENVELOPE_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Envelope> {
      return envelopeView(await requireCurrent(actor, id), clock.now())
    },

    /** Envelopes of the workspace, newest first. */
    list: (actor: Actor, query: EnvelopeQuery): Promise<Page<Envelope>> => pageOf(actor, query, envelopeView),

    /** Envelopes of a case with their signers, newest first (S10). @throws Failure CASE_NOT_FOUND */
    async listOfCase(actor: Actor, caseId: string, request: PageRequest): Promise<Page<CaseEnvelope>> {
      if (!(await cases.exists(actor.workspace_id, caseId))) throw notFound('CASE_NOT_FOUND')
      return pageOf(actor, { ...request, case_id: caseId }, caseEnvelopeView)
    },

    /** The audit trail, oldest entry first (S8). @throws Failure ENVELOPE_NOT_FOUND */
    async audit(actor: Actor, id: string, request: PageRequest): Promise<EnvelopeAudit> {
      const record = await requireCurrent(actor, id)
      const { data, pagination, previous } = await store.audit(actor.workspace_id, id, request)
      const newest = data.at(-1) ?? previous
      // The page may have an entry that was added after the record was read.
      const hasMore = pagination.has_more || (newest?.seq ?? 0) > record.audit_seq
      const isAtEnd = newest?.seq === record.audit_seq && newest.hash === record.audit_hash
      return { data, pagination, intact: isIntact(data, previous) && (hasMore || isAtEnd) }
    },
  }
}
