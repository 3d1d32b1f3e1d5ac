import { expect, it } from 'vitest'
import { sendStep } from '#signing/envelopes/send-step.ts'
import { anEnvelope, aSigner } from '#test/support/an-envelope.ts'

const now = new Date('2026-03-16T10:00:00.000Z')
const actor = { type: 'user' as const, id: 'usr_1', name: 'Dr. Jana Vogt' }

const started = (expires_at: string | null) => {
  const draft = anEnvelope({ status: 'draft', signers: [aSigner()], expires_at })
  try {
    return sendStep(draft, { now, actor, sendsEmails: false }).fields.expires_at
  } catch (error) {
    return (error as { code: string }).code
  }
}

it.each([
  ['2026-03-16T10:00:00.000Z', 'VALIDATION_ERROR'],
  ['2026-03-16T10:00:00.001Z', '2026-03-16T10:00:00.001Z'],
  ['2027-03-16T10:00:00.000Z', '2027-03-16T10:00:00.000Z'],
  ['2027-03-16T10:00:00.001Z', 'VALIDATION_ERROR'],
  [null, '2026-04-15T10:00:00.000Z'],
])('a draft with the expiry %s is sent with: %s', (expires_at, expected) => {
  expect(started(expires_at)).toBe(expected)
})
