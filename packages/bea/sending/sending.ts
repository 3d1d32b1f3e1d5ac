import { failureOf } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { applyRule } from '#timeline/schema.ts'
import type { BeaDraftRecord, BeaSend, DueSend } from '../drafts/draft-ports.ts'
import type { BeaOrder } from '../drafts/order-schema.ts'
import type { OutgoingMessage } from '../network/gateway-ports.ts'
import { unknownLogLine } from './log-lines.ts'
import { changeBy, leaseSeconds, touched } from './send-changes.ts'
import { stateAfter } from './send-state.ts'
import type { SendingDeps } from './sending-ports.ts'
import { settling, unknownError } from './settle-send.ts'

/** The outcome of an attempt to send. */
type Outcome =
  | { event: 'accepted'; remote_id: string }
  | { event: 'refused'; code: string; error: string }
  | { event: 'postponed'; cause: unknown }
  | { event: 'lost' }

/**
 * Does the next work for a draft or an answer (B7): sends it, searches for it if its outcome is unknown, or imports the
 * sent message. `send-state.ts` lists the states. The steps of a send:
 *
 * 1. The worker claims the draft with a lease, which it renews. No other worker changes the draft meanwhile.
 * 2. It reads the message that was fixed when the send was accepted.
 * 3. It stores `confirming`, on the condition that it still has its claim. Then it makes the last call.
 * 4. It stores the network's answer.
 *
 * If a worker dies before step 3, nothing was sent, and the next worker sends. After step 3 nobody sends again.
 */
export function beaSending(deps: SendingDeps) {
  const { drafts, useSession, files, objects, clock, log } = deps
  const settle = settling(deps)

  /** Claims the draft. @returns undefined if another worker has it, or there is nothing to send */
  const claim = async ({ workspace_id, draft_id }: DueSend): Promise<BeaDraftRecord | undefined> => {
    const now = clock.now()
    let claimed: BeaDraftRecord | undefined
    await applyRule(drafts, workspace_id, draft_id, (current) => {
      claimed = undefined
      const { state, send } = current
      if (send === null || (send.lease_until !== null && send.lease_until > now.toISOString()))
        return undefined
      const isLost = stateAfter(state, 'claim') === 'unknown'
      const change = changeBy(current, 'claim', now, {
        // This worker does not take over the send, since the worker that made the last call may still get its answer.
        ...(isLost
          ? { lease_until: null, error: unknownError }
          : { lease_until: leaseFrom(now), attempts: current.attempts + 1 }),
      })
      claimed = change?.record
      return change
    })
    if (claimed?.state === 'unknown')
      log.error(unknownLogLine, { workspace_id, draft_id, cause: 'worker died' })
    return claimed
  }

  /** The changes that a worker makes to the draft that it has claimed. */
  const held = ({ workspace_id, id, attempts }: BeaDraftRecord) => {
    const isOurs = (current: BeaDraftRecord) => current.attempts === attempts
    return {
      /** Stores `confirming`. @throws LeaseLost if another worker has taken over; then nothing is sent */
      beginLastStep: async (): Promise<void> => {
        await applyRule(drafts, workspace_id, id, (current) => {
          const now = clock.now()
          const isHeld = isOurs(current) && (current.send?.lease_until ?? '') > now.toISOString()
          const change = isHeld
            ? changeBy(current, 'last_step', now, {
                confirming_at: now.toISOString(),
                lease_until: leaseFrom(now),
              })
            : undefined
          if (change === undefined) throw new LeaseLost()
          return change
        })
      },

      /** Extends the lease. @throws LeaseLost if another worker has taken over */
      renew: async (): Promise<void> => {
        await applyRule(drafts, workspace_id, id, (current) => {
          if (!isOurs(current) || current.send === null) throw new LeaseLost()
          // The state is `unknown` now, and nobody else sends. This worker still waits for the answer.
          if (current.send.lease_until === null) return undefined
          const now = clock.now()
          return {
            record: touched({ ...current, send: { ...current.send, lease_until: leaseFrom(now) } }, now),
          }
        })
      },

      /** Stores the network's answer, even if the lease ended meanwhile. */
      end: async (event: Outcome['event'], patch: Partial<BeaSend> & { error?: string | null }) => {
        let isStored = false
        const after = await applyRule(drafts, workspace_id, id, (current) => {
          const change = isOurs(current)
            ? changeBy(current, event, clock.now(), { ...patch, lease_until: null })
            : undefined
          isStored = change !== undefined
          return change && { ...change, ...(patch.remote_id && { claims: patch.remote_id }) }
        })
        if (!isStored)
          log.error('outcome of a beA send not stored', { draft_id: id, outcome: event, state: after.state })
        return after
      },
    }
  }

  /** The message with the bytes of its files. @throws FileGone if a file is not as it was when the send was accepted */
  const read = async ({ files: listed, to, eeb, ...order }: BeaOrder): Promise<OutgoingMessage> => {
    const attachments: OutgoingMessage['attachments'] = []
    for (const [at, { key, filename, sha256 }] of listed.entries()) {
      const bytes = await files.read(key).catch(async (cause: unknown) => {
        // If the object exists, the send is retried.
        if ((await files.head(key)) !== undefined) throw cause
        throw new FileGone(
          `The file ${filename} does not exist any more: its document may have been deleted.`,
          {
            cause,
          },
        )
      })
      if (hexDigest(bytes) !== sha256) throw new FileGone(`The bytes of the file ${filename} are damaged.`)
      attachments.push({ filename, type: at === 0 ? 'SCHRIFTSATZ' : 'ATTACHMENT', bytes })
    }
    return {
      subject: order.subject,
      body: order.body,
      receivers: to.map(({ bea_id }) => bea_id),
      reference_sender: order.reference_sender,
      reference_recipient: order.reference_recipient,
      is_eeb_requested: order.eeb_requested,
      attachments,
      eeb,
    }
  }

  /** Tries to send the message. An error becomes the outcome that says whether the message may be sent. */
  const attempt = async (
    record: BeaDraftRecord,
    { beginLastStep }: ReturnType<typeof held>,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    let mayBeSent = false
    let outcome: Outcome | undefined
    try {
      const order = await objects.readOrder((record.send as BeaSend).order_key)
      const message = await read(order)
      await useSession(
        { workspace_id: record.workspace_id, id: record.account_id },
        async (connection) => {
          if (outcome !== undefined) return
          signal.throwIfAborted()
          const beforeLastStep = async () => {
            signal.throwIfAborted()
            await beginLastStep()
            mayBeSent = true
          }
          const sent = await connection
            .send(order.postbox_safe_id, message, beforeLastStep, signal)
            .catch((error: unknown) => {
              // A Failure means that the network certainly did not accept the message.
              if (failureOf(error) !== undefined) mayBeSent = false
              throw error
            })
          outcome =
            sent.outcome === 'sent' ? { event: 'accepted', remote_id: sent.message_id } : { event: 'lost' }
        },
        signal,
        // There was a session when the send was accepted. A later logout does not stop the send.
        { mayLogIn: true, orderedAt: (record.send as BeaSend).begun_at },
      )
    } catch (error) {
      // If the session cannot be stored after the send, the outcome does not change.
      if (outcome === undefined) return outcomeOf(error, mayBeSent)
      log.warn('session of a beA account not stored after a send', {
        draft_id: record.id,
        error: String(error),
      })
    }
    return outcome ?? { event: 'lost' }
  }

  const send = async (record: BeaDraftRecord, signal: AbortSignal): Promise<void> => {
    const ours = held(record)
    const lost = new AbortController()
    const renewing = setInterval(
      () =>
        void ours.renew().catch((error: unknown) => {
          if (error instanceof LeaseLost) lost.abort(error)
        }),
      (leaseSeconds * 1_000) / 3,
    )
    let outcome: Outcome
    try {
      outcome = await attempt(record, ours, AbortSignal.any([signal, lost.signal]))
    } finally {
      clearInterval(renewing)
    }
    const about = { workspace_id: record.workspace_id, draft_id: record.id, attempt: record.attempts }
    switch (outcome.event) {
      case 'accepted': {
        const sent = await ours.end('accepted', { remote_id: outcome.remote_id, error: null })
        log.info('beA message sent', about)
        return settle.importOf(sent, signal)
      }
      case 'lost':
        await ours.end('lost', { error: unknownError, checks: 0, absences: 0 })
        log.error(unknownLogLine, { ...about, cause: 'answer lost' })
        return
      case 'refused':
        await ours.end('refused', { error: outcome.error })
        // Not `error`, which may name a file.
        log.warn('beA message not sent', { ...about, code: outcome.code })
        return
      case 'postponed':
        await ours.end('postponed', {})
        throw outcome.cause
    }
  }

  return {
    /**
     * Does the next work for a draft. It may be called repeatedly, late, and concurrently; still nothing is sent twice.
     *
     * @throws if another attempt makes sense
     */
    async run(due: DueSend, signal: AbortSignal): Promise<void> {
      const record = await drafts.find(due.workspace_id, due.draft_id)
      if (record === undefined || record.send === null) return
      if (record.state === 'unknown') return settle.searchFor(record, signal)
      if (record.state === 'sent') return settle.importOf(record, signal)
      const claimed = await claim(due)
      if (claimed?.state === 'preparing') await send(claimed, signal)
    },
  }
}

/** Another worker has claimed the draft. */
class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** A file of the message was deleted or changed after the send was accepted. */
class FileGone extends Error {
  override name = 'FileGone'
}

/** The outcome of an error. It is `refused` or `postponed` only if the message was certainly not sent. */
function outcomeOf(error: unknown, mayBeSent: boolean): Outcome {
  if (mayBeSent) return { event: 'lost' }
  const failure = failureOf(error)
  if (failure?.code === 'BEA_ACCOUNT_NOT_FOUND')
    return { event: 'refused', code: failure.code, error: 'The beA account was disconnected.' }
  if (failure !== undefined && failure.kind !== 'unavailable')
    return { event: 'refused', code: failure.code, error: `${failure.code}: ${failure.message}` }
  if (error instanceof FileGone) return { event: 'refused', code: error.name, error: error.message }
  return { event: 'postponed', cause: error }
}

function leaseFrom(now: Date): string {
  return new Date(now.getTime() + leaseSeconds * 1_000).toISOString()
}
