import { expect, it } from 'vitest'
import { EnvelopeChanges, SignerInput } from '#signing/schema.ts'

const signerAt = (email: string) => SignerInput.safeParse({ name: 'Anna Meier', email }).success

it.each([
  'jörg@example.com',
  'anna..meier@example.com',
  `${'a'.repeat(65)}@example.com`,
  'anna@-example.com',
  'anna@exa_mple.com',
])('a signer whose address cannot get mail is refused: %s', (email) => {
  expect(signerAt(email)).toBe(false)
})

it.each([
  'anna.meier@example.com',
  "o'neill+akte@müller.example",
])('a signer can have the address %s', (email) => {
  expect(signerAt(email)).toBe(true)
})

it('null resets each field that has a default, and an omitted field does not change', () => {
  const changes = { message: null, signing_order: null, expires_at: null, reminders: null }

  expect(EnvelopeChanges.parse(changes)).toEqual({ ...changes, signing_order: 'parallel' })
  expect(EnvelopeChanges.parse({})).toEqual({})
})
