import { describe, expect, it } from 'vitest'
import { Failure } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { dueAt } from '#signing/envelopes/envelope-states.ts'
import { signingService } from '#signing/envelopes/signing-service.ts'
import { isWanted } from '#signing/mail/mail-rules.ts'
import type { EnvelopeRecord, EnvelopeStore } from '#signing/ports.ts'
import { anEnvelope, aSigner, noFiles } from '#test/support/an-envelope.ts'
import { envelopesInMemory } from './envelopes-in-memory.ts'

const sent_at = '2026-03-16T09:00:00.000Z'
const anyState = () => {}

/** An envelope that was sent with mails, two hours later, and the use cases of the office. */
function sent(fields: Partial<EnvelopeRecord> = {}, canMail = () => true) {
  const envelope = anEnvelope({
    status: 'sent',
    sent_at,
    sends_emails: true,
    expires_at: '2026-04-15T09:00:00.000Z',
    ...fields,
  })
  const { workspace_id, created_by: user_id, id } = envelope
  const actor = { workspace_id, user_id, user_name: 'Dr. Jana Vogt', key_id: newId('apiKey'), scopes: [] }
  const { store, records } = envelopesInMemory(envelope)
  const service = signingService({
    store: store as EnvelopeStore,
    documents: { findAll: async () => [] },
    cases: { exists: async () => true },
    files: noFiles,
    canMail,
    clock: { now: () => new Date('2026-03-16T11:00:00.000Z') },
  })
  return { service, actor, id, now: () => records.get(id) as EnvelopeRecord }
}

describe('a sent envelope', () => {
  it('has due reminders if they are set later, and none once they are removed', async () => {
    const { service, actor, id, now } = sent()
    const reminders = { first_after_days: 2, repeat_every_days: 7 }

    await service.change(actor, id, { reminders }, anyState)
    const asked = dueAt(now())
    await service.change(actor, id, { reminders: null }, anyState)

    expect([asked, dueAt(now())]).toEqual(['2026-03-18T09:00:00.000Z', '2026-04-15T09:00:00.000Z'])
  })

  it('expires at most 365 days after it was sent', async () => {
    const { service, actor, id, now } = sent()
    const [last, tooLate] = ['2027-03-16T09:00:00.000Z', '2027-03-16T09:00:00.001Z']

    const refused = service.change(actor, id, { expires_at: tooLate }, anyState)
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    await service.change(actor, id, { expires_at: last }, anyState)

    expect(now().expires_at).toBe(last)
  })

  it('gives a new link that is not locked by wrong codes at the previous link', async () => {
    const locked = aSigner({ access_code_hash: 'hash', code_attempts: 5, link_sha256: 'ab'.repeat(32) })
    const { service, actor, id, now } = sent({ signers: [locked] })

    await service.makeLink(actor, id, locked.id, { baseUrl: 'https://akte.example.de' })

    expect(now().signers[0]?.code_attempts).toBe(0)
    expect(now().signers[0]?.link_sha256).not.toBe(locked.link_sha256)
  })

  it('gives a new link that cancels a queued mail, because the link of that mail would replace it', async () => {
    const key = 'invitation-1'
    const waiting = aSigner({ delivery: 'queued', mail_key: key })
    const { service, actor, id, now } = sent({
      signers: [waiting],
      mails_again_at: '2026-03-16T12:00:00.000Z',
    })
    const mail = { kind: 'invitation', to: { signer_id: waiting.id }, key } as const
    const at = new Date('2026-03-16T11:00:00.000Z')
    const wasWanted = isWanted(now(), mail, at)

    await service.makeLink(actor, id, waiting.id, { baseUrl: 'https://akte.example.de' })

    expect([wasWanted, isWanted(now(), mail, at)]).toEqual([true, false])
    expect(now().signers[0]?.delivery).toBeNull()
    expect(now().mails_again_at).toBeNull()
  })
})

it('a change of an overdue envelope is refused, and its expiry is recorded', async () => {
  const { service, actor, id, now } = sent({ expires_at: '2026-03-16T10:59:59.000Z' })

  const reminded = service.remind(actor, id)

  await expect(reminded).rejects.toMatchObject({ code: 'ENVELOPE_ENDED' })
  expect(now()).toMatchObject({ status: 'expired', expired_at: '2026-03-16T10:59:59.000Z' })
})

it('an envelope that has ended is refused as ended, whatever state the request names', async () => {
  const { service, actor, id } = sent({ status: 'voided' })
  const stale = () => {
    throw new Failure('precondition_failed', 'PRECONDITION_FAILED', 'It has changed since.')
  }

  const answers = await Promise.allSettled([
    service.change(actor, id, { reminders: null }, stale),
    service.remind(actor, id, stale),
    service.void(actor, id, { reason: 'Irrtum' }, stale),
  ])

  for (const answer of answers) expect(answer).toMatchObject({ reason: { code: 'ENVELOPE_ENDED' } })
})

it('an envelope that is being sealed cannot be changed or voided, sends no reminders, and gives no links', async () => {
  const { service, actor, id, now } = sent({
    status: 'in_progress',
    sealing_since: '2026-03-16T10:30:00.000Z',
  })
  const before = now()
  const signerId = before.signers[0]?.id ?? ''

  const answers = await Promise.allSettled([
    service.change(actor, id, { reminders: { first_after_days: 2, repeat_every_days: 7 } }, anyState),
    service.remind(actor, id),
    service.void(actor, id, { reason: 'Irrtum' }),
    service.makeLink(actor, id, signerId, { baseUrl: 'https://akte.example.de' }),
  ])

  for (const answer of answers) expect(answer).toMatchObject({ reason: { code: 'ENVELOPE_ENDED' } })
  expect(now()).toEqual(before)
})
