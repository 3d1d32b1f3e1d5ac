import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { conflict, Failure, notFound, required } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { answered, applyRule } from '#timeline/schema.ts'
import type {
  EnvelopeChange,
  EnvelopeRecord,
  EnvelopeStore,
  SignerRecord,
  SigningCases,
  SigningDocuments,
  SigningFiles,
} from '../ports.ts'
import { isEnded, isOverdue, isSealing } from './envelope-states.ts'
import { expiryChange } from './expiry-change.ts'

/** The dependencies of the office's use cases. */
export type SigningDeps = {
  store: EnvelopeStore
  documents: SigningDocuments
  files: Pick<SigningFiles, 'read' | 'head'>
  cases: SigningCases
  /** Whether this stage sends mails with links. */
  canMail: () => boolean
  clock: Clock
}

/** Overdue envelopes read per query. */
const overdueBatch = 100

/** Looks up envelopes in their current state: an expiry that is not recorded yet is recorded first (S3). */
export function signingLookups({ store, clock }: Pick<SigningDeps, 'store' | 'clock'>) {
  const recordExpiry = (workspaceId: string, id: string, now: Date): Promise<EnvelopeRecord> =>
    applyRule(store, workspaceId, id, (current) => expiryChange(current, now))

  return {
    /** @throws Failure ENVELOPE_NOT_FOUND */
    async requireCurrent({ workspace_id }: Actor, id: string): Promise<EnvelopeRecord> {
      const found = required(await store.find(workspace_id, id), 'ENVELOPE_NOT_FOUND')
      const now = clock.now()
      return isOverdue(found, now) ? recordExpiry(workspace_id, id, now) : found
    },

    /** Records the expiry of every expired envelope of the workspace, so that lists by status are exact. */
    async recordOverdue({ workspace_id }: Actor): Promise<void> {
      const now = clock.now()
      for (;;) {
        const overdue = await store.overdue(workspace_id, now, overdueBatch)
        await inParallel(overdue, async (record) => {
          await recordExpiry(workspace_id, record.id, now)
        })
        if (overdue.length < overdueBatch) return
      }
    },

    /**
     * Changes an envelope with the result of `decide`. If it has expired, the expiry is recorded first: `decide` then
     * gets an ended envelope and refuses it.
     *
     * @param answerOf makes the answer from the changed envelope, before it is written (G14)
     * @throws Failure ENVELOPE_NOT_FOUND, and what `decide` throws
     */
    async changeCurrent<Answer>(
      { workspace_id }: Actor,
      id: string,
      answerOf: (record: EnvelopeRecord, now: Date) => Answer,
      decide: (current: EnvelopeRecord, now: Date) => EnvelopeChange | undefined,
    ): Promise<Answered<Answer>> {
      const now = clock.now()
      const change = () =>
        store.change(workspace_id, id, (current) => {
          if (isOverdue(current, now)) throw new ExpiryNotRecorded()
          return answered(current, decide(current, now), (after) => answerOf(after, now))
        })
      return change().catch(async (error: unknown) => {
        if (!(error instanceof ExpiryNotRecorded)) throw error
        await recordExpiry(workspace_id, id, now)
        return change()
      })
    },
  }
}

class ExpiryNotRecorded extends Error {}

/** @throws Failure SIGNER_NOT_FOUND */
export function requireSigner({ signers }: EnvelopeRecord, id: string): SignerRecord {
  const signer = signers.find((one) => one.id === id)
  if (signer === undefined) throw notFound('SIGNER_NOT_FOUND')
  return signer
}

/** @throws Failure ENVELOPE_NOT_DRAFT */
export function requireDraft({ status }: EnvelopeRecord): void {
  if (status !== 'draft') throw notDraft()
}

/**
 * Refuses a draft, an ended envelope, and one that everybody has signed.
 *
 * @throws Failure ENVELOPE_NOT_SENT, ENVELOPE_ENDED
 */
export function requireAwaitingSignatures(envelope: EnvelopeRecord): void {
  if (envelope.status === 'draft') {
    throw conflict('ENVELOPE_NOT_SENT', 'This envelope is a draft: send it first.')
  }
  requireChangeable(envelope)
}

/** Refuses an ended envelope, and one that is being sealed. @throws Failure ENVELOPE_ENDED */
export function requireChangeable(envelope: EnvelopeRecord): void {
  if (isEnded(envelope.status)) {
    throw conflict('ENVELOPE_ENDED', `This envelope is ${envelope.status}: it cannot be changed.`)
  }
  if (isSealing(envelope)) {
    throw conflict(
      'ENVELOPE_ENDED',
      'Everybody has signed this envelope, and it is being sealed: it cannot be changed.',
    )
  }
}

/**
 * Refuses a request for mails on a stage that sends none.
 *
 * @throws Failure MAIL_NOT_SENT
 */
export function requireMailing({ canMail }: Pick<SigningDeps, 'canMail'>): void {
  if (canMail()) return
  throw new Failure(
    'upstream',
    'MAIL_NOT_SENT',
    'This stage sends no mail: nothing was changed. Send the envelope with `send_emails: false`, and give each signer the address that `POST …/signers/{signer_id}/link` returns.',
  )
}

export function notDraft(): Failure {
  return conflict(
    'ENVELOPE_NOT_DRAFT',
    'This envelope was sent: only `expires_at` and `reminders` can be changed. Void it and create another one.',
  )
}
