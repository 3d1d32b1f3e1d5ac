import { describe, expect, it } from 'vitest'
import { parseQuery } from '#search/parse-query.ts'
import { snippets } from '#search/snippets.ts'
import type { Snippet } from '#search/types.ts'
import fc from '#test/support/properties.ts'
import { aRecord, searchWith, segmentOf } from './an-index.ts'

/** The snippets of a record with these texts. */
async function quoted(question: string, pages: string[], titles: string[] = []): Promise<Snippet[]> {
  const segment = await segmentOf(aRecord('a', pages, { titles }))
  const query = parseQuery(question)
  return snippets({ titles, pages }, query, searchWith([segment], query).matched)
}

const highlighted = ({ text, highlights }: Snippet) =>
  highlights.map(([start, end]) => text.slice(start, end))

const filling = 'Lorem ipsum dolor sit amet, consectetur. '.repeat(30)

describe('a snippet', () => {
  it.each([
    ['Kündigungen', 'Die Kündigung ging zu.', ['Kündigung']],
    ['Vertrag', 'Vertrag und Miete im Mietvertrag', ['Vertrag', 'Mietvertrag']],
    ['"fristlose Kündigung"', 'die fristlose Kündigung, eine Kündigung', ['fristlose Kündigung']],
    ['kün*', 'Kündigen, kündigt', ['Kündigen', 'kündigt']],
    ['§573c', 'nach § 573 c Abs. 2', ['§ 573 c']],
    ['12345,67', 'über 12.345,67 €', ['12.345,67']],
    ['DE89370400440532013000', 'IBAN DE89 3704 0044 0532 0130 00.', ['DE89 3704 0044 0532 0130 00']],
    ['Frist -Termin', 'Frist', ['Frist']],
    ['Frist OR Termin', 'Termin und Frist', ['Termin', 'Frist']],
    ['Ruß', 'Ein Rußpartikelfilter, 😀 Ruß', ['Ruß']],
  ])('marks what %s finds in "%s"', async (question, text, marked) => {
    const [first] = await quoted(question, [text])

    expect(first && highlighted(first)).toEqual(marked)
  })

  it('comes from the page with the most parts of the query', async () => {
    const [first, second] = await quoted('Frist Termin', ['Frist', '', `${filling}Frist am Termin`, 'Termin'])

    expect(first).toMatchObject({ page: 2 })
    expect(first && highlighted(first)).toEqual(['Frist', 'Termin'])
    expect(second?.page).not.toBe(2)
  })

  it('has at most 240 characters around the match, and whole words', async () => {
    const [first] = await quoted('Frist', [`${filling}Die Frist läuft. ${filling}`])

    expect(first?.text.length).toBeLessThanOrEqual(240)
    expect(first?.text.length).toBeGreaterThan(150)
    expect(first && highlighted(first)).toEqual(['Frist'])
    expect(first?.text).toMatch(/^\S+ .* \S+$/)
    expect(filling + filling).toContain(first?.text.split(' Die Frist läuft. ')[0])
  })

  it('of a phrase that continues on the next page is on the page where it begins', async () => {
    const [first] = await quoted('"fristlose Kündigung"', [
      'Es folgt die fristlose',
      'Kündigung des Vertrags',
    ])

    expect(first).toMatchObject({ page: 0 })
    expect(first && highlighted(first)).toEqual(['fristlose'])
  })

  it('is found in a page of millions of characters without much memory', async () => {
    const page = `${'Frist '.repeat(800_000)} Schlusswort am Ende`
    const before = process.memoryUsage().heapUsed
    const [first] = snippets({ titles: [], pages: [page] }, parseQuery('Frist'), new Map())
    const more = process.memoryUsage().heapUsed - before
    const [last] = snippets({ titles: [], pages: [page] }, parseQuery('Schlusswort'), new Map())

    expect(first?.highlights.length).toBeGreaterThan(10)
    expect(last).toMatchObject({ page: 0 })
    expect(last && highlighted(last)).toEqual(['Schlusswort'])
    expect(more).toBeLessThan(60_000_000)
  })

  it('is found at the border of two sections of a long page', async () => {
    const page = `${'Zeile\n'.repeat(33_333)}Vertrag\n${'Zeile\n'.repeat(50_000)}`

    const [first] = await quoted('Vertrag', [page])

    expect(first && highlighted(first)).toEqual(['Vertrag'])
  })

  it('of a phrase that continues after a blank page is on the page where it begins', async () => {
    const [first] = await quoted('"fristlose Kündigung"', [
      'Es folgt die fristlose',
      ' ',
      'Kündigung des Vertrags',
    ])

    expect(first).toMatchObject({ page: 0 })
  })

  it('comes from the titles if no page matches', async () => {
    expect(await quoted('Rechnung', ['Text'], ['Rechnung 5.pdf'])).toEqual([
      { text: 'Rechnung 5.pdf', page: null, highlights: [[0, 8]] },
    ])
  })

  it('for a query of only exclusions is the beginning of the text', async () => {
    expect(await quoted('-Rechnung', ['', 'Der Anfang'], [])).toEqual([
      { text: 'Der Anfang', page: 1, highlights: [] },
    ])
  })

  it('does not exist if the texts no longer match', async () => {
    const query = parseQuery('Frist')

    expect(snippets({ titles: [], pages: ['etwas anderes'] }, query, new Map())).toEqual([])
  })

  it('is plain text without line breaks and control characters', async () => {
    const [first] = await quoted('Frist', ['Die\r\n\r\n  Frist\u0000\u0007 läuft\tab'])

    expect(first).toEqual({ text: 'Die Frist läuft ab', page: 0, highlights: [[4, 9]] })
  })

  it('keeps its limits and valid highlights for any text', async () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom('Frist', ' ', '😀', '\n', 'x'.repeat(300), '\u0301'),
        fc.string({ unit: 'binary' }),
      ),
      {
        maxLength: 80,
      },
    )
    const query = parseQuery('Frist')
    const [part] = query.groups.flat()
    if (part === undefined) throw new Error('The query has no part.')

    fc.assert(
      fc.property(text, (all) => {
        const pages = [all.join('')]
        return snippets({ titles: [], pages }, query, new Map([[part, new Set(['frist'])]])).every(
          (snippet) =>
            snippet.text.length <= 240 &&
            (snippet.text.isWellFormed() || !pages.join('').isWellFormed()) &&
            snippet.highlights.length > 0 &&
            snippet.highlights.every(([start, end]) => start < end && end <= snippet.text.length) &&
            highlighted(snippet).every((one) => /^[^a-z]*frist/i.test(one)),
        )
      }),
      { numRuns: 500 },
    )
  })
})
