import { beforeAll, describe, expect, it } from 'vitest'
import { presets } from '#deadlines/presets.ts'
import type { Api } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

type Summary = { id: string; name: string; status: string; file_number: string }

/** All items of a list, page by page; `between` runs after every page. */
async function walk(
  api: Api,
  path: string,
  between: () => Promise<unknown> = async () => {},
): Promise<Summary[]> {
  const items: Summary[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { status, body } = await api('GET', path + (cursor && `&cursor=${cursor}`))
    expect(status).toBe(200)
    expect(body.pagination.has_more).toBe(body.pagination.cursor !== null)
    items.push(...body.data)
    cursor = body.pagination.cursor
    await between()
  }
  return items
}

async function openAll(api: Api, bodies: Record<string, unknown>[]): Promise<Summary[]> {
  const opened: Summary[] = []
  for (const body of bodies) opened.push((await api('POST', '/api/v1/cases', { body })).body)
  return opened
}

const names = (items: { name: string }[]) => items.map(({ name }) => name)

describe('a list', () => {
  let firm: Firm
  let opened: Summary[]
  beforeAll(async () => {
    firm = await newFirm()
    opened = await openAll(
      firm.owner,
      Array.from({ length: 23 }, (_, index) => ({
        name: `Akte ${index}`,
        type: index % 2 ? 'litigation' : 'advice',
        dezernat: `D${index % 3}`,
      })),
    )
    for (const { id } of opened.slice(0, 9))
      await firm.owner('PUT', `/api/v1/cases/${id}`, { body: { status: 'closed' } })
  })

  it('is newest first, with up to fifty summaries by default', async () => {
    const { body } = await firm.owner('GET', '/api/v1/cases')

    expect(names(body.data)).toEqual(names(opened).toReversed())
    expect(Object.keys(body.data[0])).toEqual(['id', 'name', 'file_number', 'status'])
    expect(body.pagination).toEqual({ cursor: null, has_more: false })
  })

  it.each([1, 5, 22, 23, 24, 100])('gives every case exactly once in pages of %i', async (limit) => {
    expect(names(await walk(firm.owner, `/api/v1/cases?limit=${limit}`))).toEqual(names(opened).toReversed())
  })

  it('gives each case that was there exactly once while others are opened', async () => {
    const own = await newFirm()
    const there = await openAll(
      own.owner,
      Array.from({ length: 12 }, (_, index) => ({ name: `Da ${index}` })),
    )
    let count = 0

    const seen = await walk(own.owner, '/api/v1/cases?limit=3', () =>
      openAll(own.owner, [{ name: `Neu ${count++}` }]),
    )

    const ids = seen.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(there.map(({ id }) => id)))
  })

  it('loses and repeats nothing while cases are deleted, renamed and closed', async () => {
    const own = await newFirm()
    const there = await openAll(
      own.owner,
      Array.from({ length: 24 }, (_, index) => ({ name: `Bleibt ${index}` })),
    )
    const changes = there.map(({ id }, index) => async () => {
      if (index % 3 === 0) await own.owner('DELETE', `/api/v1/cases/${id}`)
      if (index % 3 === 1)
        await own.owner('PUT', `/api/v1/cases/${id}`, {
          body: { status: 'closed', name: `Bleibt doch ${index}` },
        })
    })

    const seen = await walk(own.owner, '/api/v1/cases?limit=2&search=bleibt', async () => {
      await changes.shift()?.()
      await changes.pop()?.()
    })

    const ids = seen.map(({ id }) => id)
    const survivors = there.filter((_, index) => index % 3 !== 0).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(survivors))
  })

  it('is narrowed by status, type and Dezernat, each alone and together', async () => {
    const expected = (keep: (index: number) => boolean) =>
      names(opened.filter((_, index) => keep(index))).toReversed()

    expect(names(await walk(firm.owner, '/api/v1/cases?limit=4&status=closed'))).toEqual(
      expected((index) => index < 9),
    )
    expect(names(await walk(firm.owner, '/api/v1/cases?limit=4&type=litigation'))).toEqual(
      expected((index) => index % 2 === 1),
    )
    expect(
      names(await walk(firm.owner, '/api/v1/cases?limit=2&status=active&type=advice&dezernat=D1')),
    ).toEqual(expected((index) => index >= 9 && index % 2 === 0 && index % 3 === 1))
    expect(await walk(firm.owner, '/api/v1/cases?limit=4&status=archived')).toEqual([])
    expect(names(await walk(firm.owner, '/api/v1/cases?limit=3&status=closed&search=akte 7'))).toEqual([
      'Akte 7',
    ])
  })

  it.each([
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=5.5',
    'limit=',
    'limit=alle',
    'limit=1&limit=2',
    'status=offen',
    'cursor=',
    'cursor=abc',
  ])('answers 400 to %s', async (query) => {
    const { status, body } = await firm.owner('GET', `/api/v1/cases?${query}`)
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('accepts a cursor only in its workspace and list and with its filters', async () => {
    const cursor = (await firm.owner('GET', '/api/v1/cases?limit=2')).body.pagination.cursor
    const other = await newFirm()
    const forged = Buffer.from(cursor, 'base64url')
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1

    const answers = await Promise.all([
      other.owner('GET', `/api/v1/cases?limit=2&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/cases?limit=2&status=active&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/cases?limit=2&search=akte&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/parties?limit=2&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/cases/${opened[0]?.id}/timeline?limit=2&cursor=${cursor}`),
      firm.owner('GET', `/api/v1/cases?limit=2&cursor=${forged.toString('base64url')}`),
      firm.owner('GET', `/api/v1/cases?limit=2&cursor=${cursor}A`),
      firm.owner('GET', `/api/v1/cases?limit=2&cursor=${cursor.slice(0, -2)}`),
    ])

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(400))
    expect((await firm.owner('GET', `/api/v1/cases?limit=7&cursor=${cursor}`)).status).toBe(200)
  })
})

describe('a search', () => {
  let firm: Firm
  beforeAll(async () => {
    firm = await newFirm()
    await openAll(firm.owner, [
      { name: 'Müller ./. Groß wegen Kaufpreisforderung', file_number: 'A-1/26' },
      { name: 'Nachlass Mueller-Lüdenscheidt', file_number: '0815/26' },
      { name: 'Kündigungsschutz Öztürk', file_number: 'ARB 7/26' },
      { name: 'Mü', file_number: 'X9' },
      { name: 'Donaudampfschifffahrtsgesellschaft', file_number: 'SCHIFF-1' },
      { name: 'Éva Łukasz 🦄 Einhorn', file_number: 'E-1' },
    ])
  })
  const found = async (search: string) =>
    names((await firm.owner('GET', `/api/v1/cases?search=${encodeURIComponent(search)}`)).body.data)

  it.each([
    ['müller', ['Nachlass Mueller-Lüdenscheidt', 'Müller ./. Groß wegen Kaufpreisforderung']],
    ['MUELLER', ['Nachlass Mueller-Lüdenscheidt', 'Müller ./. Groß wegen Kaufpreisforderung']],
    ['gross', ['Müller ./. Groß wegen Kaufpreisforderung']],
    ['GROẞ', ['Müller ./. Groß wegen Kaufpreisforderung']],
    ['preisforder', ['Müller ./. Groß wegen Kaufpreisforderung']],
    ['aufpreisforderun', ['Müller ./. Groß wegen Kaufpreisforderung']],
    ['dampfschifffahrtsgesell', ['Donaudampfschifffahrtsgesellschaft']],
    ['dampfschiffahrt', []],
    ['815/2', ['Nachlass Mueller-Lüdenscheidt']],
    ['a-1/26', ['Müller ./. Groß wegen Kaufpreisforderung']],
    ['kauf mül', ['Müller ./. Groß wegen Kaufpreisforderung']],
    ['müller nachlass kauf', []],
    ['oeztuerk', ['Kündigungsschutz Öztürk']],
    ['o\u0308ztu\u0308rk', ['Kündigungsschutz Öztürk']],
    ['eva', ['Éva Łukasz 🦄 Einhorn']],
    ['🦄', ['Éva Łukasz 🦄 Einhorn']],
    ['mü', ['Mü', 'Nachlass Mueller-Lüdenscheidt', 'Müller ./. Groß wegen Kaufpreisforderung']],
    ['lü', ['Nachlass Mueller-Lüdenscheidt']],
    ['ll', []],
    ['ö', ['Kündigungsschutz Öztürk']],
    ['7', ['Kündigungsschutz Öztürk']],
    ['kü 7/26', ['Kündigungsschutz Öztürk']],
    ['%', []],
    ['has:mue', []],
  ])('for %j finds %j', async (search, expected) => {
    expect(await found(search)).toEqual(expected)
  })

  it.each([
    ['Yilmaz', 'Yılmaz ./. Land', 'yılmaz'],
    ['Łukasz', 'Nachlass Lukasz', 'LUKASZ'],
    ['O’Brien', "O'Brien wegen Miete", 'o`brien'],
    ['4711/26', 'Akte 4711-26', '4711–26'],
    ['12O345/26', 'Landgericht 12 O 345/26', '12 O 345-26'],
  ])('for %j finds %j, and so does %j', async (search, name, other) => {
    const own = await newFirm()
    await openAll(own.owner, [
      { name: 'Müller ./. Groß', file_number: '0001/26' },
      { name, file_number: 'X' },
    ])
    const answers = await Promise.all(
      [search, other].map((text) => own.owner('GET', `/api/v1/cases?search=${encodeURIComponent(text)}`)),
    )

    expect(answers.map(({ body }) => names(body.data))).toEqual([[name], [name]])
  })

  it('for nothing but spaces finds everything', async () => {
    expect(await found('   ')).toHaveLength(6)
  })

  it('needs all words, however many, in whatever order', async () => {
    const many = 'eins zwei drei vier fünf sechs sieben acht neun zehn elf'
    await openAll(firm.owner, [{ name: many }])

    expect(await found(many)).toEqual([many])
    expect(await found(many.split(' ').toReversed().join(' '))).toEqual([many])
    expect(await found(`${many} zwölf`)).toEqual([])
  })

  it('finds a case by its new name and no longer by its old one', async () => {
    const [opened] = await openAll(firm.owner, [{ name: 'Altername Bleibt' }])

    await firm.owner('PUT', `/api/v1/cases/${opened?.id}`, { body: { name: 'Neuername Bleibt' } })

    expect(await found('altername')).toEqual([])
    expect(await found('neuer')).toEqual(['Neuername Bleibt'])
    expect(await found('bleibt')).toEqual(['Neuername Bleibt'])
  })

  it('combines with the status, also after it has changed', async () => {
    const opened = await openAll(firm.owner, [{ name: 'Statuswechsel eins' }, { name: 'Statuswechsel zwei' }])
    await firm.owner('PUT', `/api/v1/cases/${opened[0]?.id}`, { body: { status: 'archived' } })

    const active = await firm.owner('GET', '/api/v1/cases?search=wechsel&status=active')
    const archived = await firm.owner('GET', '/api/v1/cases?search=wechsel&status=archived')

    expect(names(active.body.data)).toEqual(['Statuswechsel zwei'])
    expect(names(archived.body.data)).toEqual(['Statuswechsel eins'])
  })

  it('walks many hits in pages, newest first', async () => {
    const own = await newFirm()
    const opened = await openAll(
      own.owner,
      Array.from({ length: 17 }, (_, index) => ({
        name: index % 3 ? `Mietsache ${index}` : `Erbsache ${index}`,
      })),
    )
    const expected = names(opened.filter(({ name }) => name.startsWith('Miet'))).toReversed()

    expect(names(await walk(own.owner, '/api/v1/cases?limit=4&search=mietsache'))).toEqual(expected)
    expect(names(await walk(own.owner, '/api/v1/cases?limit=4&search=sache mie'))).toEqual(expected)
  })
})

describe('the parties of a case', () => {
  let firm: Firm
  let path: string
  beforeAll(async () => {
    firm = await newFirm()
    const [opened] = await openAll(firm.owner, [{ name: 'Sammelklage' }])
    path = `/api/v1/cases/${opened?.id}/parties`
  })
  const put = (parties: unknown[]) => firm.owner('PUT', path, { body: { parties } })
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `Kläger ${index}`, role: 'claimant' }))

  it('come fifty at a time, in the order of the case', async () => {
    const { body: kept } = await put(numbered(51))

    const { body: first } = await firm.owner('GET', path)
    const { body: second } = await firm.owner('GET', `${path}?cursor=${first.pagination.cursor}`)

    expect([first.data, second.data]).toEqual([kept.data.slice(0, 50), kept.data.slice(50)])
    expect(second.pagination).toEqual({ cursor: null, has_more: false })
  })

  let thirty: unknown[] = numbered(30)
  it.each([1, 7, 30])('are each met once in pages of %i, also while the case changes', async (limit) => {
    const { data } = (await put(thirty)).body as { data: Summary[] }
    thirty = data
    const [leaving, ...staying] = data
    let changes = 0
    const rearrange = async () => {
      if (changes++ > 4) return
      const order = changes % 2 ? staying.toReversed() : staying
      await put([{ name: `Später ${changes}`, role: 'claimant' }, ...order])
    }

    const met = await walk(firm.owner, `${path}?limit=${limit}`, rearrange)

    const ofThoseWhoStay = met.map(({ id }) => id).filter((id) => staying.some((one) => one.id === id))
    expect(ofThoseWhoStay.toSorted()).toEqual(staying.map(({ id }) => id).toSorted())
    expect(met.filter(({ id }) => id === leaving?.id).length).toBeLessThanOrEqual(1)
  })

  it('are walked through however often they are all replaced', async () => {
    await put(numbered(40))
    let pages = 0

    const met = await walk(firm.owner, `${path}?limit=1`, async () => {
      pages += 1
      if (pages === 36 || pages === 72) await put(numbered(40))
    })

    expect(met).toHaveLength(36 + 36 + 40)
  })

  it('have cursors that no other case takes', async () => {
    await put(numbered(2))
    const { body } = await firm.owner('GET', `${path}?limit=1`)
    const [other] = await openAll(firm.owner, [{ name: 'Andere' }])

    const foreign = await firm.owner(
      'GET',
      `/api/v1/cases/${other?.id}/parties?cursor=${body.pagination.cursor}`,
    )
    const staff = await firm.owner(
      'GET',
      `${path.replace('parties', 'staff')}?cursor=${body.pagination.cursor}`,
    )

    expect([foreign.status, staff.status]).toEqual([400, 400])
  })
})

describe('a list that its record holds', () => {
  let firm: Firm
  let stranger: Firm
  const paths: Record<string, string> = { presets: '/api/v1/deadlines/presets' }
  beforeAll(async () => {
    ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
    const [opened] = await openAll(firm.owner, [{ name: 'Verwaltung ./. Bürger' }])
    const document = (await upload(firm.owner)).body
    Object.assign(paths, {
      parties: `/api/v1/cases/${opened?.id}/parties`,
      staff: `/api/v1/cases/${opened?.id}/staff`,
      'parties of a document': `/api/v1/documents/${document.id}/parties`,
    })
    const roles = ['client', 'witness', 'heir']
    const [first, second] = (
      await firm.owner('POST', paths.parties ?? '', {
        body: [
          { name: 'Anna Meier', role: 'guardian' },
          { name: 'Bernd Meier', role: 'client' },
        ],
      })
    ).body.data
    await firm.owner('POST', paths.parties ?? '', { body: roles.map((role) => ({ id: first.id, role })) })
    const user = firm.ownerUser
    await firm.owner('POST', paths.staff ?? '', { body: roles.map((role) => ({ id: user.id, role })) })
    await firm.owner('POST', `/api/v1/documents/${document.id}/assign`, {
      body: { party_ids: [second.id, first.id] },
    })
  })

  it.each([
    ['parties', 5],
    ['staff', 3],
    ['parties of a document', 2],
    ['presets', presets.length],
  ])('gives its %s one by one, in their order and each once, someone in two roles twice', async (name, count) => {
    const path = paths[name] ?? ''
    const whole = (await firm.owner('GET', path)).body.data

    expect(whole).toHaveLength(count)
    expect(await walk(firm.owner, `${path}?limit=1`)).toEqual(whole)
  })

  it.each([
    'parties',
    'staff',
    'parties of a document',
    'presets',
  ])('takes no cursor of another list for its %s', async (name) => {
    const cursorOf = async (caller: Api, path: string) =>
      (await caller('GET', `${path}?limit=1`)).body.pagination.cursor
    const others = await Promise.all(
      Object.entries(paths).flatMap(([other, path]) => (other === name ? [] : [cursorOf(firm.owner, path)])),
    )
    const foreign = name === 'presets' ? [await cursorOf(stranger.owner, paths.presets ?? '')] : []

    const answers = await Promise.all(
      [...others, ...foreign].map((cursor) => firm.owner('GET', `${paths[name]}?cursor=${cursor}`)),
    )

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
    expect(answers.length).toBeGreaterThan(2)
  })
})
