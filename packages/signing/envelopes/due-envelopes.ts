import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import { answered } from '#timeline/schema.ts'
import { serviceActor } from '../audit/audit-actors.ts'
import { sealEnvelope, sendEnvelopeMails } from '../jobs.ts'
import { mailPauseMilliseconds, mailsAgainAt, queuedMails } from '../mail/mail-keys.ts'
import type { DueEnvelope, DueEnvelopes, EnvelopeChange, EnvelopeRecord, EnvelopeStore } from '../ports.ts'
import { maxSealPauseMilliseconds, sealAgainAt } from '../sealing/seal-again-at.ts'
import { faultToShow } from '../sealing/sealing-fault.ts'
import { isRunning } from '../status-schema.ts'
import { envelopeChange, mailsTo } from './envelope-change.ts'
import { isSealing, whoseTurn } from './envelope-states.ts'
import { expiryChange } from './expiry-change.ts'
import { nextReminderAt } from './reminders.ts'

/** How many envelopes a sweep changed, and how many it could not change. */
type DueResult = {
  expired: number
  reminded: number
  sealedAgain: number
  mailedAgain: number
  failed: number
}

/**
 * Runs the timed work that is due at `now`. It records that envelopes have expired and reminds the signers whose turn
 * it is. It enqueues unfinished completions and mails without a known result again (with `queueWasLost`: all of them).
 *
 * An envelope that fails is due again after a growing pause (`postpone`). Two sweeps at the same time do each piece of
 * work once, because each change is decided on the current record.
 */
export async function runDueEnvelopes(
  deps: {
    store: Pick<EnvelopeStore, 'change'>
    due: DueEnvelopes
    log: SweepLog
  },
  now: Date,
  { queueWasLost = false, milliseconds }: { queueWasLost?: boolean; milliseconds: number },
): Promise<DueResult> {
  const { store, due, log } = deps
  const sweep = sweeping({ name: 'envelopes', milliseconds, log })
  const result: DueResult = { expired: 0, reminded: 0, sealedAgain: 0, mailedAgain: 0, failed: 0 }
  const longestPauseMilliseconds = Math.max(maxSealPauseMilliseconds, mailPauseMilliseconds)
  const at = queueWasLost ? new Date(now.getTime() + longestPauseMilliseconds) : now

  const runOne = async (one: DueEnvelope): Promise<void> => {
    const done = await store.change(one.workspace_id, one.id, (current) => {
      const decided = dueChange(current, now, queueWasLost)
      return answered(current, decided?.change, () => decided?.what)
    })
    if (done !== undefined) result[done] += 1
    if (one.attempts > 0) await due.settle(one)
  }

  const seen = new Set<string>()
  await sweep.eachDue(due, at, async (one) => {
    // With `queueWasLost` the sweep looks ahead, so an envelope that it has handled may be due again within that time.
    if (seen.has(one.id)) return
    seen.add(one.id)
    await runOne(one).catch(async (error: unknown) => {
      await due.postpone(one, now)
      throw error
    })
  })
  return { ...result, failed: sweep.failed() }
}

type Due = { what: Exclude<keyof DueResult, 'failed'>; change: EnvelopeChange }

function dueChange(current: EnvelopeRecord, now: Date, queueWasLost: boolean): Due | undefined {
  const expired = expiryChange(current, now)
  if (expired !== undefined) return { what: 'expired', change: expired }
  if (isSealing(current) && (queueWasLost || isDue(current.seal_again_at, now)))
    return { what: 'sealedAgain', change: sealAgain(current, now, queueWasLost) }
  if (isRunning(current.status) && isDue(current.next_reminder_at, now))
    return { what: 'reminded', change: reminder(current, now) }
  const { mails_again_at } = current
  return mails_again_at !== null && (queueWasLost || isDue(mails_again_at, now))
    ? { what: 'mailedAgain', change: mailAgain(current, now) }
    : undefined
}

function isDue(at: string | null, now: Date): boolean {
  return at !== null && Date.parse(at) <= now.getTime()
}

/** No worker has finished the completion in time. The envelope shows `sealing_failed`, unless the queue was lost. */
function sealAgain(current: EnvelopeRecord, now: Date, queueWasLost: boolean): EnvelopeChange {
  const { workspace_id, id: envelope_id, sealing_since, status_reason } = current
  const shown = queueWasLost ? undefined : faultToShow(current, { reason: 'sealing_failed' }, now)
  const change = envelopeChange(current, {
    fields: {
      seal_again_at: sealAgainAt(sealing_since ?? now.toISOString(), now),
      status_reason: shown?.status_reason ?? status_reason,
    },
    events: [],
    jobs: [sealEnvelope.of({ workspace_id, envelope_id })],
  })
  return { ...change, timeline: shown?.timeline ?? [] }
}

function mailAgain(current: EnvelopeRecord, now: Date): EnvelopeChange {
  const { workspace_id, id: envelope_id, signers } = current
  return envelopeChange(current, {
    fields: { mails_again_at: mailsAgainAt(now.toISOString()) },
    events: [],
    jobs: [sendEnvelopeMails.of({ workspace_id, envelope_id, mails: queuedMails(signers) })],
  })
}

/** Missed reminders are skipped: the next one is due after `now`. */
function reminder(current: EnvelopeRecord, now: Date): EnvelopeChange {
  const reminded = whoseTurn(current)
  return envelopeChange(current, {
    fields: { next_reminder_at: nextReminderAt(current, now) },
    events: [
      {
        at: now.toISOString(),
        actor: serviceActor,
        action: 'reminded',
        details: { signers: reminded.map(({ id, name }) => ({ id, name })) },
      },
    ],
    mails: mailsTo('reminder', reminded),
  })
}
