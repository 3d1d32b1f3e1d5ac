import { expect, it } from 'vitest'
import { SignerInput } from '#signing/schema.ts'

const signerAt = (email: string) => SignerInput.safeParse({ name: 'Anna Meier', email }).success

it.each([
  'jörg@example.com',
  'anna..meier@example.com',
  `${'a'.repeat(65)}@example.com`,
  'anna@-example.com',
  'anna@exa_mple.com',
])('a signer whose address no mail can be sent to is refused before anybody waits for it: %s', (email) => {
  expect(signerAt(email)).toBe(false)
})

it.each(['anna.meier@example.com', "o'neill+akte@müller.example"])('a signer has the address %s', (email) => {
  expect(signerAt(email)).toBe(true)
})
