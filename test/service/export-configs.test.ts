import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '#test/support/api.ts'
import { configsPath } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

type Body = Record<string, unknown>

const parties = { name: 'Mandanten', source: 'parties', format: 'csv' }
const create = (body: Body) => firm.owner('POST', configsPath, { body })
const change = (id: string, body: Body, headers = {}) =>
  firm.owner('PUT', `${configsPath}/${id}`, { body, headers })

const someCase = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'

describe('a new export configuration', () => {
  it('has all fields of its source with their German labels, no filters and the plain dialect', async () => {
    const { status, body } = await create(parties)

    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...parties,
      description: null,
      csv_dialect: 'rfc4180',
      filters: {},
      schedule: null,
      last_executed_at: null,
    })
    expect(body.id).toMatch(/^exp_[0-9a-f-]{36}$/)
    expect(body.columns).toEqual([
      { field: 'name', label: 'Name' },
      { field: 'type', label: 'Art' },
      { field: 'email', label: 'E-Mail' },
      { field: 'phone', label: 'Telefon' },
      { field: 'address', label: 'Anschrift' },
      { field: 'id', label: 'ID' },
      { field: 'created_at', label: 'Angelegt am' },
      { field: 'updated_at', label: 'Geändert am' },
    ])
  })

  it.each([null, []])('has them also with the columns %j', async (columns) => {
    expect((await create({ ...parties, columns })).body.columns).toHaveLength(8)
  })

  it('has chosen columns in their order, and a German label if none is given', async () => {
    const columns = [
      { field: 'email', label: '  Mailadresse ' },
      { field: 'name' },
      { field: 'phone', label: '' },
      { field: 'type', label: null },
    ]

    const { body } = await create({ ...parties, columns })

    expect(body.columns).toEqual([
      { field: 'email', label: 'Mailadresse' },
      { field: 'name', label: 'Name' },
      { field: 'phone', label: 'Telefon' },
      { field: 'type', label: 'Art' },
    ])
  })

  it('is read again as it was answered, and listed newest first by pages', async () => {
    const { owner } = await newFirm()
    const made = []
    for (const name of ['eins', 'zwei', 'drei'])
      made.push((await owner('POST', configsPath, { body: { ...parties, name } })).body)

    const first = (await owner('GET', `${configsPath}?limit=2`)).body
    const second = (await owner('GET', `${configsPath}?limit=2&cursor=${first.pagination.cursor}`)).body

    expect([...first.data, ...second.data]).toEqual(made.toReversed())
    expect(second.pagination).toEqual({ cursor: null, has_more: false })
    for (const one of made) expect((await owner('GET', `${configsPath}/${one.id}`)).body).toEqual(one)
  })

  it.each([
    ['an unknown source', { source: 'users' }],
    ['an unknown source before anything else', { source: 'users', name: '', format: 'pdf', filters: 7 }],
    ['a source that is no text', { source: 7 }],
    ['a source in capitals', { source: 'Parties' }],
  ])('is refused as INVALID_SOURCE with %s', async (_, body) => {
    expect(codeOf(await create({ ...parties, ...body }))).toEqual([400, 'INVALID_SOURCE'])
  })

  it.each([
    ['no name', { name: undefined }],
    ['a name of blanks', { name: '  ' }],
    ['a name of 501 characters', { name: 'x'.repeat(501) }],
    ['no source', { source: undefined }],
    ['null as source', { source: null }],
    ['no format', { format: undefined }],
    ['an unknown format', { format: 'pdf' }],
    ['an unknown dialect', { csv_dialect: 'excel' }],
    ['a dialect of JSON', { format: 'json', csv_dialect: 'rfc4180' }],
    ['a dialect of XLSX', { format: 'xlsx', csv_dialect: 'excel-de' }],
    ['bookings of parties', { csv_dialect: 'datev' }],
    ['a column that the source does not have', { columns: [{ field: 'file_number' }] }],
    ['a column twice', { columns: [{ field: 'name' }, { field: 'name', label: 'Noch einmal' }] }],
    ['a column without a field', { columns: [{ label: 'Name' }] }],
    ['columns that are texts', { columns: ['name'] }],
    ['a label of 501 characters', { columns: [{ field: 'name', label: 'x'.repeat(501) }] }],
    ['a schedule without a time', { schedule: { frequency: 'daily' } }],
    ['a description of 20 001 characters', { description: 'x'.repeat(20_001) }],
  ])('is refused as VALIDATION_ERROR with %s', async (_, body) => {
    expect(codeOf(await create({ ...parties, ...body }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('names in a refusal the fault of each column', async () => {
    const { body } = await create({ ...parties, columns: [{ field: 'name' }, { field: 'umsatz' }] })

    expect(body.error.details).toEqual([
      { path: 'body.columns.1.field', message: expect.stringContaining('name, type, email') },
    ])
  })
})

describe('a change', () => {
  it('changes the fields in the body, and nothing else', async () => {
    const before = (
      await create({
        ...parties,
        description: 'Alt',
        filters: { type: 'person' },
        columns: [{ field: 'name' }],
      })
    ).body

    const { status, body } = await change(before.id, { name: 'Neu' })

    expect([status, body]).toEqual([200, { ...before, name: 'Neu' }])
    expect((await firm.owner('GET', `${configsPath}/${before.id}`)).body).toEqual(body)
  })

  it('with null clears the description, the filters, the columns and the schedule', async () => {
    const { id } = (
      await create({
        ...parties,
        description: 'Alt',
        filters: { type: 'person' },
        columns: [{ field: 'name' }],
        schedule: { frequency: 'weekly', time: '06:30', weekday: 1 },
      })
    ).body

    const { body } = await change(id, { description: null, filters: null, columns: null, schedule: null })

    expect([body.description, body.filters, body.columns.length, body.schedule]).toEqual([null, {}, 8, null])
  })

  it('of the source checks stored filters and columns again', async () => {
    const filtered = (await create({ ...parties, filters: { type: 'person' } })).body
    const chosen = (await create({ ...parties, columns: [{ field: 'email' }] })).body

    const answers = [
      await change(filtered.id, { source: 'documents' }),
      await change(filtered.id, { source: 'documents', filters: { type: 'person' } }),
      await change(chosen.id, { source: 'documents' }),
      await change(chosen.id, { source: 'documents', columns: [{ field: 'phone' }] }),
    ]

    expect(answers.map(codeOf)).toEqual([
      [400, 'INVALID_FILTER'],
      [400, 'INVALID_FILTER'],
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
    ])
    expect((await firm.owner('GET', `${configsPath}/${filtered.id}`)).body).toEqual(filtered)
    const right = { source: 'documents', filters: {}, columns: [{ field: 'filename' }] }
    expect((await change(filtered.id, right)).body).toMatchObject({ source: 'documents', filters: {} })
  })

  it('of the source uses the fields of the new one if columns were never chosen', async () => {
    const { id } = (await create(parties)).body

    const { body } = await change(id, { source: 'deadlines' })

    expect(body.columns.map(({ field }: { field: string }) => field).slice(0, 3)).toEqual([
      'title',
      'frist_type',
      'due_at',
    ])
  })

  it('of the filters alone checks them against the stored source', async () => {
    const { id } = (await create(parties)).body

    expect(codeOf(await change(id, { filters: { status: 'active' } }))).toEqual([400, 'INVALID_FILTER'])
    expect((await change(id, { filters: { type: 'person' } })).body.filters).toEqual({ type: 'person' })
  })

  it('of the format ends the dialect, and CSV begins with the plain one', async () => {
    const { id } = (await create({ ...parties, csv_dialect: 'excel-de' })).body

    const dialects = [
      (await change(id, { name: 'Gleich' })).body.csv_dialect,
      (await change(id, { format: 'xlsx' })).body.csv_dialect,
      (await change(id, { format: 'csv' })).body.csv_dialect,
    ]

    expect(dialects).toEqual(['excel-de', null, 'rfc4180'])
    expect(codeOf(await change(id, { format: 'json', csv_dialect: 'excel-de' }))[0]).toBe(400)
    expect(codeOf(await change(id, { csv_dialect: 'datev' }))[0]).toBe(400)
  })

  it('of bookings to another source is refused', async () => {
    const { id } = (await create({ ...parties, source: 'invoices', csv_dialect: 'datev' })).body

    expect(codeOf(await change(id, { source: 'cases' }))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await change(id, { source: 'cases', csv_dialect: 'rfc4180' })).status).toBe(200)
  })

  it('of a missing configuration is 404, unless the body is wrong for every configuration', async () => {
    const missing = `exp_${someCase}`

    expect(codeOf(await change(missing, { filters: { status: 'active' } }))).toEqual([
      404,
      'CONFIG_NOT_FOUND',
    ])
    expect(codeOf(await change(missing, { source: 'users' }))).toEqual([400, 'INVALID_SOURCE'])
    expect(codeOf(await change(missing, { filters: { date_from: '2026-02-30' } }))).toEqual([
      400,
      'INVALID_FILTER',
    ])
    expect(codeOf(await change(missing, { columns: [{ field: 'umsatz' }] }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
    expect(codeOf(await change('keine', { name: 'x' }))).toEqual([404, 'CONFIG_NOT_FOUND'])
  })

  it('made for another state is 412, and of two at once with one ETag one wins', async () => {
    const made = await create(parties)
    const etag = made.headers.get('etag') ?? ''

    const answers = await Promise.all(
      ['eins', 'zwei'].map((name) => change(made.body.id, { name }, { 'If-Match': etag })),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412])
  })

  it('loses nothing of another that is made at the same time', async () => {
    const { id } = (await create(parties)).body

    await Promise.all([
      change(id, { name: 'Neu' }),
      change(id, { description: 'Auch neu' }),
      change(id, { filters: { type: 'person' } }),
    ])

    expect((await firm.owner('GET', `${configsPath}/${id}`)).body).toMatchObject({
      name: 'Neu',
      description: 'Auch neu',
      filters: { type: 'person' },
    })
  })
})

describe('a deleted configuration', () => {
  it('is gone for everything, and in no list', async () => {
    const { owner } = await newFirm()
    const made = (await owner('POST', configsPath, { body: parties })).body
    const path = `${configsPath}/${made.id}`

    const deleted = await owner('DELETE', path)

    expect(deleted.status).toBe(204)
    const answers = [
      await owner('GET', path),
      await owner('PUT', path, { body: { name: 'x' } }),
      await owner('DELETE', path),
      await owner('POST', `${path}/generate-token`, { body: { expires_in_hours: 1 } }),
      await owner('GET', `${path}/tokens`),
    ]
    expect(answers.map(codeOf)).toEqual(answers.map(() => [404, 'CONFIG_NOT_FOUND']))
    expect((await owner('GET', configsPath)).body.data).toEqual([])
  })
})

describe('the sources', () => {
  it('are listed with their fields, labels, types and filters', async () => {
    const { data } = (await firm.owner('GET', '/api/v1/exports/sources')).body

    const bySource = new Map<string, { fields: { field: string }[]; filters: string[] }>(
      data.map((one: { source: string }) => [one.source, one]),
    )
    expect([...bySource.keys()]).toEqual([
      'invoices',
      'time_entries',
      'cases',
      'parties',
      'documents',
      'deadlines',
    ])
    expect(bySource.get('deadlines')?.filters.toSorted()).toEqual([
      'case_id',
      'date_from',
      'date_to',
      'status',
    ])
    expect(bySource.get('invoices')?.fields.slice(0, 3)).toEqual([
      { field: 'number', label: 'Rechnungsnummer', type: 'text' },
      { field: 'status', label: 'Status', type: 'text' },
      { field: 'invoice_date', label: 'Rechnungsdatum', type: 'date' },
    ])
  })

  it('are defaults that a configuration takes when they are sent back', async () => {
    const { data } = (await firm.owner('GET', '/api/v1/exports/sources')).body
    for (const { source, fields } of data) {
      const columns = fields.map(({ field, label }: Body) => ({ field, label }))

      const { status, body } = await create({ name: source, source, format: 'json', columns })

      expect([status, body.columns]).toEqual([201, columns])
      expect(new Set(columns.map(({ label }: Body) => label)).size).toBe(columns.length)
    }
  })
})
