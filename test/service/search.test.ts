import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { arrived } from '#test/support/arriving-mail.ts'
import { settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { found, idsOf, indexed, search } from '#test/support/search.ts'

/** Stores texts as documents, and waits until they are indexed. @returns their ids */
async function documentsOf({ owner }: Firm, texts: string[], fields = {}): Promise<string[]> {
  const ids: string[] = []
  for (const [at, bytes] of texts.entries())
    ids.push((await upload(owner, { bytes, filename: `Text ${at}.txt` }, fields)).body.id)
  for (const id of ids) await settled(owner, id)
  await indexed(owner)
  return ids
}

async function pdf(pages: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (const text of pages) document.addPage().drawText(text, { x: 50, y: 700, size: 12, font })
  return new Uint8Array(await document.save())
}

const newCase = async ({ owner }: Firm) =>
  (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id as string

describe('a text', () => {
  it('is found as soon as it is read, long before a sweep, with its place', async () => {
    const { owner } = await newFirm()
    const bytes = 'Hiermit kündigen wir das Mietverhältnis fristlos.'
    const { body } = await upload(owner, { bytes, filename: 'Brief.txt' })
    await settled(owner, body.id)
    const since = performance.now()
    // Act
    const hit = await found(owner, 'kündigen', body.id)
    // Assess
    expect(performance.now() - since).toBeLessThan(60_000)
    expect(hit).toMatchObject({
      kind: 'document',
      id: body.id,
      case_id: null,
      title: 'Brief.txt',
      page: null,
    })
    const [{ text, highlights }] = hit.snippets
    expect(highlights.map(([from, to]: [number, number]) => text.slice(from, to))).toEqual(['kündigen'])
  })

  it('says on which page it stands, also behind blank pages', async () => {
    const { owner } = await newFirm()
    const pages = ['Deckblatt der Akte', '', '', 'Der Zeuge hat gelogen', '']
    const { body } = await upload(owner, { bytes: await pdf(pages), filename: 'Akte.pdf' })
    await settled(owner, body.id)
    await indexed(owner)
    // Act
    const [first, last] = [await found(owner, 'Deckblatt', body.id), await found(owner, 'gelogen', body.id)]
    // Assess
    expect([first.page, last.page, last.snippets[0].page]).toEqual([1, 4, 4])
    const extracted = await owner('POST', `/api/v1/documents/${body.id}/extract`)
    expect(extracted.body).toEqual({
      text: 'Deckblatt der Akte\n\nDer Zeuge hat gelogen',
      page_count: 5,
      word_count: 7,
    })
  })

  it('matches if its words stand anywhere in it: on two pages, and in the file name', async () => {
    const { owner } = await newFirm()
    const bytes = await pdf(['Erste Seite mit Nießbrauch', 'Zweite Seite mit Grundbuch'])
    const { body } = await upload(owner, { bytes, filename: 'Hofübergabe.pdf' })
    await settled(owner, body.id)
    await indexed(owner)

    expect(await idsOf(owner, 'Grundbuch Nießbrauch Hofübergabe')).toEqual([body.id])
    expect(await idsOf(owner, 'Grundbuch Nießbrauch Testament')).toEqual([])
  })

  it('of another firm is not found', async () => {
    const [ours, theirs] = [await newFirm(), await newFirm()]
    const [id] = await documentsOf(ours, ['Einmaligeswort'])
    await documentsOf(theirs, ['Anderes'])

    expect([await idsOf(ours.owner, 'Einmaligeswort'), await idsOf(theirs.owner, 'Einmaligeswort')]).toEqual([
      [id],
      [],
    ])
  })
})

describe('a query', () => {
  let firm: Firm
  let ids: string[]
  beforeAll(async () => {
    firm = await newFirm()
    ids = await documentsOf(firm, [
      'Die Kündigung des Mietvertrags vom 1. Mai ist unwirksam. Miete und Vertrag wurden geprüft.',
      'Wir kündigen den Vertrag über die Wohnung in der Straße Am Bächle.',
      'Der BGH hat unter VII ZR 12/26 entschieden; § 573c Abs. 2 BGB gilt. Es geht um 12.345,67 EUR.',
      'Ganz ohne Bezug: der Beklagte wohnt in Muenchen, NEAR und AND sind Wörter.',
    ])
  })
  const numbers = async (q: string) => (await idsOf(firm.owner, q)).map((id) => ids.indexOf(id)).toSorted()

  it.each([
    ['one word, in all forms', 'kündigen', [0, 1]],
    ['several words, all of which must occur', 'kündigung wohnung', [1]],
    ['a phrase', '"Kündigung des Mietvertrags"', [0]],
    ['a phrase in another order', '"Mietvertrags Kündigung"', []],
    ['an excluded word', 'Vertrag -Wohnung', [0]],
    ['an alternative', 'Wohnung OR Beklagter', [1, 3]],
    ['a small or, which is a word', 'Wohnung or Beklagter', []],
    ['a beginning', 'kündig*', [0, 1]],
    ['a part of a compound', 'Vertrag', [0, 1]],
    ['an umlaut in two letters', 'Kuendigung', [0, 1]],
    ['an umlaut without its dots', 'kundigung', [0, 1]],
    ['two letters as an umlaut', 'München', [3]],
    ['ß as ss', 'Strasse', [1]],
    ['a reference', 'VII ZR 12/26', [2]],
    ['a reference without blanks', 'VIIZR12/26', [2]],
    ['a section', '§573c Abs.2', [2]],
    ['an amount', '12345,67', [2]],
    ['an open quote', '"Kündigung des', [0]],
    ['what would be an operator of the engine', 'NEAR AND', [3]],
    ['only an exclusion', '-Kündigung -BGB', [3]],
  ])('finds %s', async (_, q, expected) => {
    expect(await numbers(q)).toEqual(expected)
  })

  it.each([
    ['quotes', '"""'],
    ['parentheses', '(Vertrag) OR ((('],
    ['an expression', 'NEAR(Vertrag Miete, 5)'],
    ['a column', 'titles:Vertrag'],
    ['a caret', '^Vertrag'],
    ['a star alone', '*'],
    ['a NUL', 'Vertrag\u0000 \u0000'],
    ['beginnings alone', 'ver* mie* auf* kla* ber* '.repeat(20)],
    ['operators alone', 'OR OR'],
    ['minus signs', '-'.repeat(499)],
    ['combining marks', `u${'\u0308'.repeat(400)}`],
    ['right-to-left text', '\u202eעברית العربية'],
    ['emoji', '👩‍⚖️⚖️'],
    ['a backslash, a semicolon and a comment', "\\'; DROP TABLE texts; --"],
    ['stop words alone', 'der die das und'],
    ['500 characters', 'Vertrag '.repeat(63).slice(0, 500)],
  ])('of %s is answered', async (_, q) => {
    const { data, total } = await search(firm.owner, q)

    expect(data.length).toBe(total)
  })

  it.each([
    ['no words', { q: '' }],
    ['blanks', { q: '  ' }],
    ['501 characters', { q: 'x'.repeat(501) }],
    ['a thousand minus signs', { q: '-'.repeat(1_000) }],
    ['five beginnings of a letter', { q: 'a* b* c* d* e*' }],
    ['another kind', { q: 'x', kind: 'nonsense' }],
    ['no day', { q: 'x', from: '2026-13-01' }],
    ['days in the wrong order', { q: 'x', from: '2026-02-01', to: '2026-01-01' }],
    ['too many hits', { q: 'x', limit: '51' }],
    ['no hits', { q: 'x', limit: '0' }],
    ['an id that is none', { q: 'x', case_id: '1' }],
    ['an unknown parameter', { q: 'x', sort: 'date' }],
    ['an invented cursor', { q: 'x', cursor: 'abc' }],
  ])('with %s is refused', async (_, query) => {
    const { status, body } = await firm.owner('GET', `/api/v1/search?${new URLSearchParams(query)}`)

    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('without a query is refused', async () => {
    expect((await firm.owner('GET', '/api/v1/search')).status).toBe(400)
  })

  it('gives each hit once over its pages, with a cursor for this query alone', async () => {
    const { owner } = firm
    const seen: string[] = []
    let cursor: string | null = null
    let first = ''
    do {
      const page = await search(owner, 'der OR die OR wir', { limit: '1', ...(cursor && { cursor }) })
      expect([page.total, page.total_is_exact]).toEqual([4, true])
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      cursor = page.pagination.cursor
      first ||= cursor ?? ''
    } while (cursor !== null)
    const others = [
      { q: 'der' },
      { q: 'der OR die OR wir', kind: 'mail' },
      { q: 'der OR die OR wir', to: '2030-01-01' },
    ]
    const refused = await Promise.all(
      others.map((query) =>
        owner('GET', `/api/v1/search?${new URLSearchParams({ ...query, cursor: first })}`),
      ),
    )

    expect(seen.toSorted()).toEqual(ids.toSorted())
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
  })

  it('gives each hit once over its pages while others are stored', async () => {
    const others = await newFirm()
    const stored = await documentsOf(others, ['Replik', 'Replik und Duplik', 'Replik und noch mehr Text'])
    const first = await search(others.owner, 'Replik', { limit: '1' })
    // Both stand before the first hit.
    await documentsOf(others, ['Replik Replik', 'Replik Replik Replik'])
    const second = await search(others.owner, 'Replik', { limit: '1', cursor: first.pagination.cursor })
    const third = await search(others.owner, 'Replik', { limit: '1', cursor: second.pagination.cursor })

    const seen = [first, second, third].map(({ data }) => data[0].id)
    expect(seen.toSorted()).toEqual(stored.toSorted())
    expect(third.pagination.cursor).toBeNull()
    expect(await idsOf(others.owner, 'Replik')).toHaveLength(5)
  })

  it('may be limited to days', async () => {
    const { owner } = firm
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(systemClock.now())

    expect(await idsOf(owner, 'Vertrag', { from: today, to: today })).toHaveLength(2)
    expect(await idsOf(owner, 'Vertrag', { to: '2026-01-01' })).toEqual([])
    expect(await idsOf(owner, 'Vertrag', { from: '2099-01-01' })).toEqual([])
  })
})

describe('a document', () => {
  it.each([
    ['a word of 100,000 letters', `${'x'.repeat(100_000)} Schlusswort`, 'Schlusswort'],
    ['the same word 300,000 times', 'Klage '.repeat(300_000), 'Klage'],
    ['a word with 1,000 marks', `u${'\u0308'.repeat(1_000)}ber Schlusswort`, 'Schlusswort'],
    ['right-to-left text and emoji', '\u202e עברית 👩‍⚖️ Schlusswort', 'עברית'],
  ])('of %s is indexed and found', async (_, text, q) => {
    const firm = await newFirm()
    const [id] = await documentsOf(firm, [text])
    const [hit] = (await search(firm.owner, q)).data

    expect(hit.id).toBe(id)
    expect(hit.snippets[0].text.length).toBeLessThanOrEqual(240)
  })
})

describe('a change', () => {
  it('of the name counts at once, and so does a move into a case and a deletion', async () => {
    const firm = await newFirm()
    const { owner } = firm
    const [id = '', other = ''] = await documentsOf(firm, ['Streitwert', 'Streitwert'])
    const [kase, elsewhere] = [await newCase(firm), await newCase(firm)]
    // Act and assess: nothing is waited for.
    await owner('PATCH', `/api/v1/documents/${id}`, { body: { filename: 'Vergleichsvorschlag.txt' } })
    expect(await idsOf(owner, 'Vergleichsvorschlag Streitwert')).toEqual([id])
    expect((await search(owner, 'Vergleichsvorschlag')).data[0].title).toBe('Vergleichsvorschlag.txt')
    await owner('POST', `/api/v1/documents/${id}/assign`, { body: { case_id: kase } })
    expect(await idsOf(owner, 'Streitwert', { case_id: kase })).toEqual([id])
    expect(await idsOf(owner, 'Streitwert', { case_id: elsewhere })).toEqual([])
    await owner('POST', `/api/v1/documents/${id}/assign`, { body: { case_id: elsewhere } })
    expect(await idsOf(owner, 'Streitwert', { case_id: kase })).toEqual([])
    expect(await idsOf(owner, 'Streitwert', { case_id: elsewhere })).toEqual([id])
    await owner('DELETE', `/api/v1/documents/${other}`)
    const { data, total } = await search(owner, 'Streitwert')
    expect([data.map((hit: { id: string }) => hit.id), total]).toEqual([[id], 1])
    await indexed(owner)
    expect(await idsOf(owner, 'Streitwert', { case_id: elsewhere })).toEqual([id])
    expect(await idsOf(owner, 'Streitwert')).toEqual([id])
  })

  it('that is not indexed yet is counted, until everything is found', async () => {
    const firm = await newFirm()
    const { owner } = firm
    const uploaded = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        upload(owner, { bytes: `Sammelklage ${at}`, filename: `${at}.txt` }),
      ),
    )
    // Act
    const early = await search(owner, 'Sammelklage')
    for (const { body } of uploaded) await settled(owner, body.id)
    await indexed(owner)
    const late = await search(owner, 'Sammelklage')
    // Assess
    expect(early.total + early.index.pending).toBeGreaterThanOrEqual(12)
    expect([late.total, late.index.pending, late.index.incomplete]).toEqual([12, 0, false])
    expect(Date.parse(late.index.as_of)).toBeGreaterThan(Date.parse(early.index.as_of))
  })
})

describe('a mail', () => {
  it('is found by its subject, its text, and the names and addresses in it', async () => {
    const firm = await newFirm()
    const { owner } = firm
    const mail = await arrived(firm, {
      from: 'Cosima Ärmlich <cosima@aermlich.example>',
      subject: 'Nebenkostenabrechnung',
      text: 'Anbei die Widerspruchsbegründung.',
    })
    await indexed(owner)

    for (const q of ['Nebenkostenabrechnung', 'Widerspruchsbegründung', 'Ärmlich', 'cosima@aermlich.example'])
      expect([q, await idsOf(owner, q)]).toEqual([q, [mail.id]])
    const [hit] = (await search(owner, 'Widerspruchsbegründung', { kind: 'mail' })).data
    expect(hit).toMatchObject({ kind: 'mail', title: 'Nebenkostenabrechnung', page: null })
    expect(await idsOf(owner, 'Widerspruchsbegründung', { kind: 'document' })).toEqual([])
  })
})
