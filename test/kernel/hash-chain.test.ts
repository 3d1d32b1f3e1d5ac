import { expect, it } from 'vitest'
import { hashOf, isIntact } from '#kernel/hash-chain.ts'

type Entry = { seq: number; text: string; previous_hash: string | null; hash: string }

/** A chain of entries with these numbers, each with the hash of its content and of the entry before it. */
function chainOf(...numbers: number[]): Entry[] {
  let previous_hash: string | null = null
  return numbers.map((seq) => {
    const entry = { seq, text: `Eintrag ${seq}`, previous_hash }
    previous_hash = hashOf(entry)
    return { ...entry, hash: previous_hash }
  })
}

it('a chain is intact as it was written, as a whole and page by page', () => {
  const chain = chainOf(1, 2, 3)

  expect(isIntact(chain, undefined)).toBe(true)
  expect(isIntact(chain.slice(1), chain[0])).toBe(true)
  expect(isIntact([], chain[2])).toBe(true)
})

it.each([
  ['an entry whose content was altered', chainOf(1, 2, 3).map((one) => ({ ...one, text: 'anders' }))],
  ['an entry that names another one before it', [...chainOf(1), ...chainOf(2, 3)]],
  ['no beginning', chainOf(1, 2, 3).slice(1)],
  ['an entry left out, and all hashes made anew', chainOf(1, 3)],
  ['the first entry left out, and all hashes made anew', chainOf(2, 3)],
  ['an entry twice, and all hashes made anew', chainOf(1, 2, 2, 3)],
])('a chain is broken with %s', (_, entries) => {
  expect(isIntact(entries, undefined)).toBe(false)
})
