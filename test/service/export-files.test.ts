import { beforeAll, describe, expect, it } from 'vitest'
import { api, codeOf } from '#test/support/api.ts'
import { aConfig, anExpiredToken, aToken, configsPath } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
  for (const [name, type] of [
    ['Anna Meier', 'person'],
    ['Müller & Söhne GmbH; "Bau"', 'organization'],
    ['=1+1', 'person'],
  ])
    await firm.owner('POST', '/api/v1/parties', { body: { name, type, email: 'a@example.de' } })
})

type Row = Record<string, unknown>

const execute = (id: string, of = firm) => of.owner('GET', `${configsPath}/${id}/execute`)
const preview = (id: string) => firm.owner('GET', `${configsPath}/${id}/preview`)
const anybody = () => api(firm.baseUrl, undefined)
const retrieve = (id: string, token: string) =>
  anybody()('GET', `${configsPath}/${id}/retrieve?token=${encodeURIComponent(token)}`)
const textOf = ({ bytes }: { bytes: Uint8Array }) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

const columns = [{ field: 'name', label: 'Mandant' }, { field: 'phone' }, { field: 'type' }]

describe('an executed export', () => {
  it('is JSON of rows by field in the order of the columns, with null for nothing, and of what was executed', async () => {
    const { id } = await aConfig(firm, { columns })

    const { status, headers, body } = await execute(id)

    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(body).toEqual({
      data: [
        { name: 'Anna Meier', phone: null, type: 'person' },
        { name: 'Müller & Söhne GmbH; "Bau"', phone: null, type: 'organization' },
        { name: '=1+1', phone: null, type: 'person' },
      ],
      meta: { config_id: id, executed_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), row_count: 3 },
    })
    expect(Object.keys(body.data[0])).toEqual(['name', 'phone', 'type'])
  })

  it('is CSV with a header of labels, and no cell that a program runs as a formula', async () => {
    const { id } = await aConfig(firm, { format: 'csv', columns })

    const answer = await execute(id)

    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(textOf(answer)).toBe(
      [
        'Mandant,Telefon,Art',
        'Anna Meier,,person',
        '"Müller & Söhne GmbH; ""Bau""",,organization',
        "'=1+1,,person",
        '',
      ].join('\r\n'),
    )
  })

  it('is CSV for German Excel', async () => {
    const { id } = await aConfig(firm, { format: 'csv', csv_dialect: 'excel-de', columns })

    const answer = await execute(id)

    expect(textOf(answer).split('\r\n').slice(0, 2)).toEqual([
      '\ufeffMandant;Telefon;Art',
      'Anna Meier;;person',
    ])
  })

  it('is a workbook', async () => {
    const { id } = await aConfig(firm, { format: 'xlsx', columns })

    const answer = await execute(id)

    expect(answer.headers.get('content-type')).toBe(
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    )
    expect([...answer.bytes.slice(0, 4)]).toEqual([0x50, 0x4b, 3, 4])
  })

  it('has the rows that its filters let through', async () => {
    const rowsOf = async (filters: Row) =>
      (await execute((await aConfig(firm, { filters })).id)).body.data.length

    expect(await rowsOf({ type: 'organization' })).toBe(1)
    expect(await rowsOf({ date_from: '1900-01-01', date_to: '9999-12-31' })).toBe(3)
    expect(await rowsOf({ date_from: '0001-01-01' })).toBe(3)
    expect(await rowsOf({ date_to: '1899-12-31' })).toBe(0)
    expect(await rowsOf({ date_from: '9999-12-31' })).toBe(0)
  })

  it('of ids that do not exist has no rows', async () => {
    const case_id = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
    const { id } = await aConfig(firm, { source: 'documents', filters: { case_id } })

    const { body } = await execute(id)

    expect([body.data, body.meta.row_count]).toEqual([[], 0])
  })

  it.each([
    'invoices',
    'time_entries',
    'cases',
    'parties',
    'documents',
    'deadlines',
  ])('of %s is made in every format', async (source) => {
    for (const format of ['json', 'csv', 'xlsx']) {
      const { id } = await aConfig(firm, { source, format })
      expect((await execute(id)).status, format).toBe(200)
    }
  })

  it.each([
    ['Mandanten', 'Mandanten.csv', 'Mandanten.csv'],
    ['Übersicht "Größe" 50 %', 'Uebersicht _Groesse_ 50 _.csv', 'Übersicht _Größe_ 50 %.csv'],
    ['a/b\\c:d|e?f*g<h>', 'a_b_c_d_e_f_g_h_.csv', 'a_b_c_d_e_f_g_h_.csv'],
    ['../../etc/passwd', '_.._etc_passwd.csv', '_.._etc_passwd.csv'],
    ['Zeile\r\nSet-Cookie: a=b', 'Zeile_Set-Cookie_ a=b.csv', 'Zeile_Set-Cookie_ a=b.csv'],
    ['Monat.CSV', 'Monat.csv', 'Monat.csv'],
    ['aus', 'aus.csv', 'aus.csv'],
    ['AUX', '_AUX.csv', '_AUX.csv'],
    ['.', 'Export.csv', 'Export.csv'],
    ['日本語 😀', '___ __.csv', '日本語 😀.csv'],
  ])('named %j is a file that can be saved', async (name, ascii, full) => {
    const { id } = await aConfig(firm, { name, format: 'csv' })

    const header = (await execute(id)).headers.get('content-disposition') ?? ''

    const [, plain, encoded = ''] =
      /^attachment; filename="([^"]*)"; filename\*=UTF-8''(.*)$/.exec(header) ?? []
    expect([plain?.replace(/_+/g, '_'), decodeURIComponent(encoded)]).toEqual([
      ascii.replace(/_+/g, '_'),
      full,
    ])
  })

  it('with a name of 500 characters has one that every system takes', async () => {
    const { id } = await aConfig(firm, { name: 'ä'.repeat(500), format: 'xlsx' })

    const header = (await execute(id)).headers.get('content-disposition') ?? ''

    const full = decodeURIComponent(header.split("UTF-8''")[1] ?? '')
    expect(full.endsWith('ä.xlsx')).toBe(true)
    expect(Buffer.byteLength(full)).toBeLessThanOrEqual(255)
  })

  it('notes when it was executed, and a preview does not', async () => {
    const { id } = await aConfig(firm)
    await preview(id)
    const before = (await firm.owner('GET', `${configsPath}/${id}`)).body.last_executed_at

    const { body } = await execute(id)

    const after = (await firm.owner('GET', `${configsPath}/${id}`)).body.last_executed_at
    expect([before, after]).toEqual([null, body.meta.executed_at])
  })

  it('does not undo a change that is made while it is executed', async () => {
    const { id } = await aConfig(firm)

    await Promise.all([
      ...Array.from({ length: 8 }, () => execute(id)),
      ...['eins', 'zwei', 'drei'].map((description) =>
        firm.owner('PUT', `${configsPath}/${id}`, { body: { description, name: 'Neu' } }),
      ),
    ])

    const after = (await firm.owner('GET', `${configsPath}/${id}`)).body
    expect(after).toMatchObject({ name: 'Neu', last_executed_at: expect.any(String) })
    expect(after.description).not.toBeNull()
  })

  it('of bookings needs the settings of the workspace', async () => {
    const { id } = await aConfig(firm, { source: 'invoices', format: 'csv', csv_dialect: 'datev' })

    const answer = await execute(id)

    expect(codeOf(answer)).toEqual([409, 'DATEV_SETTINGS_MISSING'])
    expect(answer.body.error.message).toContain('datev.consultant')
  })

  it('of bookings says which settings DATEV would refuse, and why', async () => {
    const other = await newFirm()
    const accounts = { revenue_account_19: '8400', revenue_account_7: '83000', revenue_account_0: '8200' }
    const datev = { consultant: '29098', client: '55003', debtor_account: '10000', ...accounts }
    await other.owner('PATCH', '/api/v1/workspace', { body: { datev } })
    const { id } = await aConfig(other, { source: 'invoices', format: 'csv', csv_dialect: 'datev' })

    const { status, body } = await execute(id, other)

    expect([status, body.error.code]).toEqual([409, 'DATEV_SETTINGS_MISSING'])
    expect(body.error.details).toEqual([
      {
        path: 'datev.revenue_account_7',
        message: expect.stringContaining('as many as the account for 19 % has'),
      },
    ])
  })

  it('of bookings of two years is refused before it is made', async () => {
    const filters = { date_from: '2025-12-01', date_to: '2026-01-31' }
    const body = { name: 'DATEV', source: 'invoices', format: 'csv', csv_dialect: 'datev', filters }

    expect(codeOf(await firm.owner('POST', configsPath, { body }))).toEqual([400, 'INVALID_FILTER'])
  })
})

describe('a preview', () => {
  it('has the columns and the first ten rows of the file, whatever the format', async () => {
    const many = await newFirm()
    for (let number = 0; number < 12; number += 1)
      await many.owner('POST', '/api/v1/parties', { body: { name: `Nummer ${number}` } })
    const { id } = await aConfig(many, { format: 'xlsx', columns })

    const { status, body } = await many.owner('GET', `${configsPath}/${id}/preview`)

    expect(status).toBe(200)
    expect(body.columns).toEqual([
      { field: 'name', label: 'Mandant', type: 'text' },
      { field: 'phone', label: 'Telefon', type: 'text' },
      { field: 'type', label: 'Art', type: 'text' },
    ])
    expect(body.data).toEqual(
      Array.from({ length: 10 }, (_, number) => ({ name: `Nummer ${number}`, phone: null, type: 'person' })),
    )
  })

  it('of bookings needs no settings', async () => {
    const { id } = await aConfig(firm, { source: 'invoices', format: 'csv', csv_dialect: 'datev' })

    expect((await preview(id)).status).toBe(200)
  })
})

describe('the holder of a token', () => {
  it('retrieves the same file without a key, kept in no cache and named to no other page', async () => {
    const { id } = await aConfig(firm, { name: 'Täglich', format: 'csv', columns })
    const { token } = await aToken(firm, id)

    const answer = await retrieve(id, token)

    expect(answer.status).toBe(200)
    expect(textOf(answer)).toBe(textOf(await execute(id)))
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toContain("filename*=UTF-8''T%C3%A4glich.csv")
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
  })

  it('leaves a note: when the export was executed, and the token used', async () => {
    const { id } = await aConfig(firm)
    const { token } = await aToken(firm, id)

    const { body } = await retrieve(id, token)

    const path = `${configsPath}/${id}`
    expect((await firm.owner('GET', path)).body.last_executed_at).toBe(body.meta.executed_at)
    const [listed] = (await firm.owner('GET', `${path}/tokens`)).body.data
    expect(Math.abs(Date.parse(listed.last_used_at) - Date.parse(body.meta.executed_at))).toBeLessThan(60_000)
  })

  it('is refused with none, an unknown one, one in capitals, of another configuration, and one sent twice', async () => {
    const [one, other] = [await aConfig(firm), await aConfig(firm)]
    const { token } = await aToken(firm, one.id)
    const path = `${configsPath}/${one.id}/retrieve`
    const ask = (query: string, headers = {}) => anybody()('GET', `${path}${query}`, { headers })

    const answers = [
      await ask(''),
      await ask('?token='),
      await ask(`?token=${'x'.repeat(43)}`),
      await ask(`?token=${token.toUpperCase()}`),
      await ask(`?token=${token.toLowerCase()}`),
      await ask(`?token=${token}%20`),
      await ask(`?token=${token.slice(0, -1)}`),
      await ask(`?token=${token}&token=${token}`),
      await ask(`?Token=${token}`),
      await ask('', { Authorization: `Bearer ${token}` }),
      await retrieve(other.id, token),
      await retrieve('exp_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10', token),
      await retrieve('keine', token),
    ]

    expect(answers.map(codeOf)).toEqual(answers.map(() => [401, 'EXPORT_TOKEN_INVALID']))
    for (const { bytes } of answers) expect(textOf({ bytes })).not.toContain(token)
  })

  it('is refused at once when the token is deleted', async () => {
    const { id } = await aConfig(firm)
    const { token, id: tokenId } = await aToken(firm, id)
    await retrieve(id, token)

    await firm.owner('DELETE', `${configsPath}/${id}/tokens/${tokenId}`)

    expect(codeOf(await retrieve(id, token))).toEqual([401, 'EXPORT_TOKEN_INVALID'])
  })

  it('learns that the configuration was deleted', async () => {
    const { id } = await aConfig(firm)
    const { token } = await aToken(firm, id)

    await firm.owner('DELETE', `${configsPath}/${id}`)

    expect(codeOf(await retrieve(id, token))).toEqual([404, 'CONFIG_NOT_FOUND'])
    expect(codeOf(await retrieve(id, 'x'.repeat(43)))).toEqual([401, 'EXPORT_TOKEN_INVALID'])
  })

  it('reads only what the configuration allows, also after a change', async () => {
    const { id } = await aConfig(firm, { filters: { type: 'organization' }, columns: [{ field: 'type' }] })
    const { token } = await aToken(firm, id)
    const before = (await retrieve(id, token)).body.data

    await firm.owner('PUT', `${configsPath}/${id}`, { body: { filters: {}, columns: [{ field: 'name' }] } })

    const after = (await retrieve(id, token)).body.data
    expect(before).toEqual([{ type: 'organization' }])
    expect(after.map(Object.keys)).toEqual([['name'], ['name'], ['name']])
  })
})

describe('exports of a firm', () => {
  it('hold nothing of another firm', async () => {
    const other = await newFirm()
    const { id } = await aConfig(firm)

    const { body } = await execute((await aConfig(other)).id, other)

    expect(body.data).toEqual([])
    expect(codeOf(await execute(id, other))).toEqual([404, 'CONFIG_NOT_FOUND'])
  })

  it('need reports:read alone to be executed and looked at, and reports:write for the rest', async () => {
    const reader = await firm.withScopes('reports:read')
    const { id } = await aConfig(firm)
    const path = `${configsPath}/${id}`
    const statusOf = async (method: string, at: string, body?: unknown) =>
      (await reader(method, at, body === undefined ? {} : { body })).status

    expect([
      await statusOf('GET', `${path}/execute`),
      await statusOf('GET', `${path}/preview`),
      await statusOf('GET', path),
      await statusOf('GET', configsPath),
      await statusOf('POST', configsPath, {}),
      await statusOf('PUT', path, {}),
      await statusOf('POST', `${path}/generate-token`, {}),
      await statusOf('GET', `${path}/tokens`),
      await statusOf('DELETE', path),
    ]).toEqual([200, 200, 200, 200, 403, 403, 403, 403, 403])
  })
})

it('a token that has expired is 410, also of a deleted configuration', async () => {
  const { id } = await aConfig(firm)
  const token = await anExpiredToken(firm, id)

  const expired = await retrieve(id, token)
  await firm.owner('DELETE', `${configsPath}/${id}`)
  const deleted = await retrieve(id, token)

  expect([codeOf(expired), codeOf(deleted)]).toEqual([
    [410, 'TOKEN_EXPIRED'],
    [410, 'TOKEN_EXPIRED'],
  ])
})
