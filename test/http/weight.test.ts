import { describe, expect, it } from 'vitest'
import * as cases from '#functions/cases/endpoints.ts'
import * as documents from '#functions/documents/endpoints.ts'
import { checkConflicts } from '#functions/parties/endpoints.ts'
import { weightOf } from '#http/weight.ts'

const sent = (body: unknown) => ({ body: JSON.stringify(body), isBase64Encoded: false })
function many<Item>(count: number, make: (at: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

describe('as how many usual requests a request counts', () => {
  it('is one for usual requests of offices', () => {
    const letter = 'Sehr geehrte Frau Meier, wir zeigen an: der Termin bleibt, wie er ist. '.repeat(100)

    expect(weightOf(cases.createCase, sent({ name: 'Meier ./. Schulze', description: letter }))).toBe(1)
    expect(weightOf(cases.getCase, { body: null, isBase64Encoded: false })).toBe(1)
    expect(weightOf(documents.uploadDocument, { body: ','.repeat(1_000_000), isBase64Encoded: false })).toBe(
      1,
    )
  })

  it.each([
    ['300,000 unknown keys', Object.fromEntries(many(300_000, (at) => [`k${at}`, 1] as const))],
    ['a list of empty objects', { name: 'A', parts: many(500_000, () => ({})) }],
    ['lists in a list', many(150_000, () => [[], [], [], []])],
  ])('is hundreds for %s, in text as in base64', (_, body) => {
    const base64 = { body: Buffer.from(JSON.stringify(body)).toString('base64'), isBase64Encoded: true }

    expect(weightOf(cases.createCase, sent(body))).toBeGreaterThan(200)
    expect(weightOf(cases.createCase, base64)).toBe(weightOf(cases.createCase, sent(body)))
  })

  it('is hundreds for lists that are nested without a comma, which take a second to parse', () => {
    const nested = { body: '['.repeat(2_000_000) + ']'.repeat(2_000_000), isBase64Encoded: false }

    expect(weightOf(cases.createCase, nested)).toBeGreaterThan(200)
  })

  it('grows with the names of a conflict check', () => {
    const weights = [1, 10, 100].map((count) =>
      weightOf(checkConflicts, sent({ names: many(count, (at) => `N${at}`) })),
    )

    expect(weights).toEqual([1, 37, 397])
  })

  it('is bounded for entries that no endpoint takes', () => {
    expect(weightOf(checkConflicts, { body: ','.repeat(6_000_000), isBase64Encoded: false })).toBeLessThan(
      10_000,
    )
  })
})
