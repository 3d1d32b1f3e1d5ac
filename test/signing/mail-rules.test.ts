import { describe, expect, it } from 'vitest'
import { isDuplicate, isWanted } from '#signing/mail/mail-rules.ts'
import type { EnvelopeRecord, SignerRecord } from '#signing/ports.ts'
import { type MailKind, mailKinds } from '#signing/queues.ts'
import { type EnvelopeStatus, envelopeStatuses } from '#signing/status-schema.ts'
import { anEnvelope, aSigner } from '#test/support/an-envelope.ts'

const now = new Date('2026-03-16T10:00:00.000Z')
const later = '2026-03-17T10:00:00.000Z'
const key = 'the newest'

const wanted = (envelope: EnvelopeRecord, kind: MailKind, signer: Pick<SignerRecord, 'id'>, withKey = key) =>
  isWanted(envelope, { kind, to: { signer_id: signer.id }, key: withKey }, now)

function envelopeWith(signer: Partial<SignerRecord>, fields: Partial<EnvelopeRecord> = {}) {
  const one = aSigner({ mail_key: key, ...signer })
  return { one, envelope: anEnvelope({ status: 'sent', expires_at: later, signers: [one], ...fields }) }
}

const expectedStatuses: Record<MailKind, EnvelopeStatus[]> = {
  invitation: ['sent', 'in_progress'],
  your_turn: ['sent', 'in_progress'],
  reminder: ['sent', 'in_progress'],
  completed: ['completed'],
  declined: ['declined'],
  expired: ['expired'],
}

describe('a mail of an envelope is wanted', () => {
  it.each(mailKinds)('only in the statuses of its kind: %s', (kind) => {
    const signer = { sent_at: '2026-03-16T09:00:00.000Z' }

    const states = envelopeStatuses.filter((status) => {
      const { one, envelope } = envelopeWith(signer, { status })
      return wanted(envelope, kind, one)
    })

    expect(states).toEqual(expectedStatuses[kind])
  })

  it.each([
    'invitation',
    'your_turn',
    'reminder',
  ] as const)('only for signers whose turn it is: %s', (kind) => {
    const [first, second, copy, done] = [
      aSigner({ mail_key: key, order: 1 }),
      aSigner({ mail_key: key, order: 2 }),
      aSigner({ mail_key: key, order: 3, role: 'cc' }),
      aSigner({ mail_key: key, order: 4, status: 'signed' }),
    ]
    const signers = [first, second, copy, done] as SignerRecord[]
    const of = (fields: Partial<EnvelopeRecord>) => {
      const envelope = anEnvelope({ status: 'in_progress', expires_at: later, signers, ...fields })
      return signers.map((one) => wanted(envelope, kind, one))
    }

    expect(of({ signing_order: 'parallel' })).toEqual([true, true, false, false])
    expect(of({ signing_order: 'sequential' })).toEqual([true, false, false, false])
    expect(of({ sealing_since: '2026-03-16T09:59:00.000Z' })).toEqual([false, false, false, false])
    expect(of({ expires_at: now.toISOString() })).toEqual([false, false, false, false])
  })

  it('for everybody once all have signed, also for cc and for signers who never got a mail', () => {
    for (const role of ['signer', 'approver', 'cc'] as const) {
      const { one, envelope } = envelopeWith({ role, sent_at: null }, { status: 'completed' })
      expect(wanted(envelope, 'completed', one)).toBe(true)
    }
  })

  it('after the end only for signers who got a mail, except the one who declined', () => {
    const had = { sent_at: '2026-03-16T09:00:00.000Z' }
    const cases = [
      ['declined', had, true],
      ['declined', { sent_at: null }, false],
      ['declined', { ...had, status: 'declined' }, false],
      ['declined', { ...had, status: 'signed' }, true],
      ['expired', had, true],
      ['expired', { sent_at: null }, false],
    ] as const
    for (const [kind, signer, expected] of cases) {
      const { one, envelope } = envelopeWith(signer, { status: kind })
      expect(wanted(envelope, kind, one), JSON.stringify([kind, signer])).toBe(expected)
    }
  })

  it('only if it is the newest mail to its signer', () => {
    const { one, envelope } = envelopeWith({})

    expect([
      wanted(envelope, 'invitation', one),
      wanted(envelope, 'invitation', one, 'an older one'),
    ]).toEqual([true, false])
    expect(wanted(envelope, 'invitation', { id: 'signer_of_another' })).toBe(false)
  })

  it.each(mailKinds)('for the user who created the envelope, and no other user: %s', (kind) => {
    const status = expectedStatuses[kind][0] ?? 'sent'
    const envelope = anEnvelope({ status, expires_at: later })
    const to = (user_id: string) => isWanted(envelope, { kind, to: { user_id }, key }, now)

    const isNotice = ['completed', 'declined', 'expired'].includes(kind)
    expect([to(envelope.created_by), to('usr_other')]).toEqual([isNotice, false])
  })
})

it("if a signer and the creator share an address, it gets the creator's notice, but the signer's if that has the copies", () => {
  const { one, envelope } = envelopeWith({ sent_at: '2026-03-16T09:00:00.000Z', email: 'kanzlei@example.de' })
  const repeated = (kind: MailKind) => [
    isDuplicate(envelope, { kind, to: { signer_id: one.id } }, 'Kanzlei@example.de'),
    isDuplicate(envelope, { kind, to: { user_id: envelope.created_by } }, 'Kanzlei@example.de'),
  ]

  expect(repeated('declined')).toEqual([true, false])
  expect(repeated('expired')).toEqual([true, false])
  expect(repeated('completed')).toEqual([false, true])
})
