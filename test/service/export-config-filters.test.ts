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

describe('filters', () => {
  it.each([
    ['invoices', { status: 'issued', case_id: someCase, party_id: `pty_${someCase}` }],
    ['time_entries', { user_id: `usr_${someCase}`, case_id: someCase, billable: false }],
    ['cases', { status: 'archived', type: 'litigation', dezernat: 'Mietrecht' }],
    ['parties', { type: 'organization' }],
    ['documents', { case_id: someCase, folder_id: `fld_${someCase}` }],
    ['deadlines', { status: 'expired', case_id: someCase }],
  ])('of %s are kept', async (source, filters) => {
    const all = { ...filters, date_from: '2026-02-28', date_to: '2026-02-28' }

    const { status, body } = await create({ ...parties, source, filters: all })

    expect([status, body.filters]).toEqual([201, all])
  })

  it.each([undefined, null, {}, { type: null, date_from: null }])('may be %j', async (filters) => {
    expect((await create({ ...parties, filters })).body.filters).toEqual({})
  })

  it('take ids without their prefix and in capitals, and show them in full', async () => {
    const filters = { case_id: someCase.toUpperCase(), folder_id: someCase }

    const { body } = await create({ ...parties, source: 'documents', filters })

    expect(body.filters).toEqual({ case_id: someCase, folder_id: `fld_${someCase}` })
  })

  it.each([
    ['parties', { status: 'active' }],
    ['parties', { farbe: 'blau' }],
    ['parties', { __proto__x: 1 }],
    ['parties', { type: 'firma' }],
    ['parties', { type: '' }],
    ['parties', { date_from: '2026-02-30' }],
    ['parties', { date_from: '2026-2-3' }],
    ['parties', { date_from: '2026-02-03T00:00:00Z' }],
    ['parties', { date_from: '0000-01-01' }],
    ['parties', { date_to: '' }],
    ['parties', { date_to: 20260203 }],
    ['parties', { date_from: ['2026-02-03'] }],
    ['parties', { date_from: '2026-02-04', date_to: '2026-02-03' }],
    ['cases', { status: 'open' }],
    ['cases', { type: 'x'.repeat(101) }],
    ['cases', { dezernat: ' ' }],
    ['cases', { case_id: someCase }],
    ['deadlines', { status: 'active' }],
    ['deadlines', { case_id: 'keine' }],
    ['deadlines', { billable: true }],
    ['documents', { folder_id: 'fld_' }],
    ['documents', { folder_id: 7 }],
    ['documents', { status: 'active' }],
    ['invoices', { status: 'sent' }],
    ['invoices', { party_id: `usr_${someCase}` }],
    ['time_entries', { billable: 'true' }],
    ['time_entries', { user_id: '' }],
    ['parties', 'type=person'],
    ['parties', []],
  ])('of %s are refused as %j', async (source, filters) => {
    expect(codeOf(await create({ ...parties, source, filters }))).toEqual([400, 'INVALID_FILTER'])
  })

  it('are refused before a missing name, and the refusal names the correct values', async () => {
    const { body } = await create({ source: 'parties', format: 'csv', filters: { status: 'active' } })

    const message = 'parties has no filter `status`. Its filters are type, date_from, date_to.'
    expect(body.error).toMatchObject({ code: 'INVALID_FILTER', message })
    expect(body.error.details).toEqual([{ path: 'body.filters.status', message }])
  })

  it('with a name that is long or hostile are named by its beginning', async () => {
    const { body } = await create({ ...parties, filters: { [`<b>${'x'.repeat(10_000)}`]: 1 } })

    expect(body.error.details[0].path).toBe(`body.filters._b_${'x'.repeat(47)}`)
  })

  it('that are stored are named in the refusal of another source', async () => {
    const { id } = (await create({ ...parties, filters: { type: 'person' } })).body

    const { body } = await change(id, { source: 'deadlines' })

    expect(body.error.details).toEqual([{ path: 'body.filters.type', message: body.error.message }])
  })

  it.each([
    [
      { status: 'active' },
      'No source has such filters. GET /api/v1/exports/sources lists the filters of each.',
    ],
    [{ date_from: '2026-02-30' }, '`date_from` must be a valid day as YYYY-MM-DD.'],
  ])('of no source at all, %j, are refused in words that hold for every source', async (given, message) => {
    const { id } = (await create(parties)).body
    const wrong = { ...given, farbe: 'blau' }

    const nowhere = await create({ name: 'Ohne Quelle', format: 'csv', filters: wrong })
    const changed = await change(id, { filters: wrong })

    for (const answer of [nowhere, changed]) expect(codeOf(answer)).toEqual([400, 'INVALID_FILTER'])
    expect(nowhere.body.error.message).toBe(message)
  })

  it.each([
    { date_to: '9999-12-31' },
    { date_from: '0001-01-02' },
    { date_from: '2026-01-01', date_to: '9999-12-31' },
  ])('of bookings for DATEV that name no year with invoices are refused: %j', async (given) => {
    const bookings = { name: 'DATEV', source: 'invoices', format: 'csv', csv_dialect: 'datev' }

    expect(codeOf(await create({ ...bookings, filters: given }))).toEqual([400, 'INVALID_FILTER'])
  })
})
