import { describe, expect, it } from 'vitest'
import { serviceActor } from '#signing/audit/audit-actors.ts'
import { runDueEnvelopes } from '#signing/envelopes/due-envelopes.ts'
import { envelopeChange, mailsTo } from '#signing/envelopes/envelope-change.ts'
import { dueAt } from '#signing/envelopes/envelope-states.ts'
import { mailDelivery } from '#signing/mail/mail-delivery.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { beginSealing } from '#signing/sealing/begin-sealing.ts'
import { anEnvelope } from '#test/support/an-envelope.ts'
import { dueInMemory } from '#test/support/due-in-memory.ts'
import { unhurried } from '#test/support/unhurried.ts'
import { envelopesInMemory } from './envelopes-in-memory.ts'

const askedAt = '2026-03-16T09:00:00.000Z'
const anHourLater = '2026-03-16T10:00:00.000Z'

/** An envelope whose two signers were invited, with mails whose results are unknown. */
function invited(fields: Partial<EnvelopeRecord> = {}) {
  const sent = anEnvelope({ status: 'sent', expires_at: '2026-04-16T09:00:00.000Z', ...fields })
  const { record, jobs } = envelopeChange(sent, {
    events: [{ at: askedAt, actor: serviceActor, action: 'sent', details: {} }],
    mails: mailsTo('invitation', sent.signers),
  })
  const { store, records, changes } = envelopesInMemory(record)
  const due = dueInMemory(() => records.get(record.id) as EnvelopeRecord)
  return {
    record,
    job: jobs[0],
    store,
    changes,
    now: () => records.get(record.id) as EnvelopeRecord,
    sweep: (at: string, options: { queueWasLost?: boolean } = {}) =>
      runDueEnvelopes({ store, due, log: { error: () => {} } }, new Date(at), {
        ...unhurried,
        ...options,
      }),
    settle: (at: number) => {
      const signer = record.signers[at] as EnvelopeRecord['signers'][0]
      const about = { id: record.id, signer_id: signer.id, key: signer.mail_key ?? '', link_sha256: null }
      return mailDelivery({ store }).recordOutcome({
        workspace_id: record.workspace_id,
        about,
        state: 'sent',
        sent_at: askedAt,
      })
    },
  }
}

describe('mails whose outcome is unknown', () => {
  it('are enqueued again after an hour, under the same keys', async () => {
    const envelope = invited()
    expect(dueAt(envelope.record)).toBe(anHourLater)

    const early = await envelope.sweep('2026-03-16T09:59:59.000Z')
    const late = await envelope.sweep(anHourLater)

    expect([early.mailedAgain, late.mailedAgain]).toEqual([0, 1])
    expect(envelope.changes.flatMap(({ jobs }) => jobs)).toEqual([envelope.job])
    expect(dueAt(envelope.now())).toBe('2026-03-16T11:00:00.000Z')
  })

  it('are enqueued again at once after the queues were lost, but sent mails are not', async () => {
    const envelope = invited()
    await envelope.settle(0)

    await envelope.sweep('2026-03-16T09:01:00.000Z', { queueWasLost: true })

    const handedOver = envelope.changes.flatMap(({ jobs }) => jobs.map(({ payload }) => payload))
    const { id, mail_key: key } = envelope.record.signers[1] as EnvelopeRecord['signers'][0]
    expect(handedOver).toMatchObject([{ mails: [{ kind: 'invitation', to: { signer_id: id }, key }] }])
  })

  it('are no longer due once all results are known', async () => {
    const envelope = invited()
    await envelope.settle(0)
    const waiting = dueAt(envelope.now())

    await envelope.settle(1)

    expect([waiting, dueAt(envelope.now())]).toEqual([anHourLater, '2026-04-16T09:00:00.000Z'])
    expect((await envelope.sweep(anHourLater, { queueWasLost: true })).mailedAgain).toBe(0)
  })

  it.each([
    'completed',
    'declined',
    'expired',
    'voided',
  ] as const)('are due for a %s envelope too', (status) => {
    expect(dueAt({ ...invited().record, status })).toBe(anHourLater)
  })

  it('do not stay due for an envelope that is being sealed', async () => {
    const envelope = invited({
      status: 'in_progress',
      sealing_since: askedAt,
      seal_again_at: '2026-03-16T15:00:00.000Z',
    })

    const { mailedAgain, sealedAgain } = await envelope.sweep(anHourLater)

    expect([mailedAgain, sealedAgain]).toEqual([1, 0])
    expect(dueAt(envelope.now())).toBe('2026-03-16T11:00:00.000Z')
  })

  it('cause no reminder for an envelope that is being sealed, because its audit trail is closed', async () => {
    const { fields } = beginSealing(anEnvelope(), new Date('2026-03-16T09:50:00.000Z'))
    const running = { status: 'in_progress', next_reminder_at: anHourLater } as const
    const envelope = invited({ ...running, ...fields })

    const { mailedAgain, reminded } = await envelope.sweep(anHourLater)

    expect([mailedAgain, reminded]).toEqual([1, 0])
    expect(envelope.now().audit_seq).toBe(envelope.record.audit_seq)
  })
})
