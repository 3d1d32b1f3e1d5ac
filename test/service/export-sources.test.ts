import { beforeAll, describe, expect, it } from 'vitest'
import { sources } from '#exports/sources.ts'
import { exportSources } from '#exports/table-schema.ts'
import { billing } from '#test/support/billing.ts'
import { upload } from '#test/support/documents.ts'
import { aConfig, configsPath } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** The contents of the exports of each source, over the whole service. */
let firm: Firm
let made: Awaited<ReturnType<typeof fill>>
beforeAll(async () => {
  firm = await newFirm()
  made = await fill(firm)
})

type Row = Record<string, unknown>

/** A firm with something in every field of every source. */
async function fill(of: Firm) {
  const { owner, colleague, ownerUser } = of
  const other = await colleague()
  const make = billing(of)
  const post = async (path: string, body: object, by = owner) => {
    const answer = await by('POST', path, { body })
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const aCase = await post('/api/v1/cases', {
    name: 'Meier ./. Schulze',
    type: 'litigation',
    dezernat: 'Mietrecht',
    description: 'Räumung',
  })
  const party = await post('/api/v1/parties', {
    name: 'Anna Meier',
    email: 'anna.meier@example.de',
    phone: '00123',
    address: 'Weg 1\n10115 Berlin',
  })
  const folder = await post('/api/v1/folders', { name: 'Schriftsätze' })
  const document = (await upload(owner, {}, { case_id: aCase.id, folder_id: folder.id })).body
  const due_at = '2031-04-16T15:00:00+02:00'
  const deadline = await post('/api/v1/deadlines', {
    title: 'Berufung',
    case_id: aCase.id,
    due_at,
    assigned_to: ownerUser.id,
  })
  await post(`/api/v1/deadlines/${deadline.id}/verify`, {}, other.api)
  const evidence = { type: 'note', text: 'Erledigt', receipt_at: '2031-04-14T11:58:12+02:00' }
  await post(`/api/v1/deadlines/${deadline.id}/complete`, { evidence })
  await post(`/api/v1/deadlines/${deadline.id}/exit-control`, {}, other.api)
  const posted = { preset: 'famfg_beschwerde', posted_on: '2031-03-03', pronounced_on: '2031-02-27' }
  await post('/api/v1/deadlines', { title: 'Beschwerde', case_id: aCase.id, calculation: posted })
  const reasons = await post('/api/v1/deadlines', {
    title: 'Begründung',
    case_id: aCase.id,
    calculation: { preset: 'zpo_berufungsbegruendung', event_date: '2031-03-06', region: 'DE-BE' },
  })
  await post(`/api/v1/deadlines/${reasons.id}/extension`, { requested_until: '2031-06-06' })
  const entry = await make.makeTime(aCase.id)
  await make.makeTime(aCase.id, { date: '2026-03-15', billable: false, minutes: 7, rate: null })
  const lines = [
    { text: 'Schriftsatz', unit_price: '200.00', time_entry_id: entry.id },
    { text: 'Buch', unit_price: '9.99', tax_rate: '7' },
  ]
  const draft = await make.makeDraft(aCase.id, { party_id: party.id, due_date: '2099-12-31', lines })
  const issued = (await make.act(draft.id, 'issue')).body
  const cancelled = await make.makeDraft(aCase.id, { party_id: party.id })
  await make.act(cancelled.id, 'issue')
  await make.act(cancelled.id, 'cancel')
  const paid = await make.makeDraft(aCase.id, { party_id: party.id })
  await make.act(paid.id, 'issue')
  await make.act(paid.id, 'pay')
  return { aCase, party, folder, document, deadline, reasons, other, entry, issued, cancelled, paid, due_at }
}

const rowsOf = async (source: string, filters: Row = {}): Promise<Row[]> => {
  const { id } = await aConfig(firm, { source, filters })
  return (await firm.owner('GET', `${configsPath}/${id}/execute`)).body.data
}

describe.each(exportSources)('an export of %s', (source) => {
  it('fills every field that the source is listed with', async () => {
    const rows = await rowsOf(source)

    const filled = new Set(rows.flatMap((row) => Object.keys(row).filter((field) => row[field] !== null)))
    // The text of a document is read later than the test.
    const later = source === 'documents' ? ['page_count'] : []
    const fields = sources[source].fields.map(({ field }) => field)
    expect([...new Set([...filled, ...later])].toSorted()).toEqual(fields.toSorted())
    for (const row of rows) expect(Object.keys(row)).toEqual(fields)
  })

  it('has cells of the types that its fields are listed with', async () => {
    const forms = {
      text: /^/,
      number: /^\d+$/,
      decimal: /^-?\d+(\.\d+)?$/,
      amount: /^-?\d+\.\d\d$/,
      boolean: /^(true|false)$/,
      date: /^\d{4}-\d\d-\d\d$/,
      timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    }
    const kinds = { number: 'number', boolean: 'boolean' } as Record<string, string>

    for (const row of await rowsOf(source))
      for (const { field, type } of sources[source].fields) {
        if (row[field] === null) continue
        expect(typeof row[field], field).toBe(kinds[type] ?? 'string')
        expect(String(row[field]), field).toMatch(forms[type])
      }
  })

  it('takes each of its filters alone and all at once', async () => {
    const given: Row = {
      date_from: '2020-01-01',
      date_to: '2040-12-31',
      case_id: made.aCase.id,
      party_id: made.party.id,
      user_id: firm.ownerUser.id,
      folder_id: made.folder.id,
      billable: true,
      type: source === 'cases' ? 'litigation' : 'person',
      dezernat: 'Mietrecht',
      status: { cases: 'active', invoices: 'issued', deadlines: 'completed' }[source as string],
    }
    const names = Object.keys(sources[source].filters)

    for (const name of names)
      expect((await rowsOf(source, { [name]: given[name] })).length, name).toBeGreaterThan(0)
    const all = Object.fromEntries(names.map((name) => [name, given[name]]))
    expect((await rowsOf(source, all)).length).toBeGreaterThan(0)
  })
})

it('rows of deadlines show the data that a controller needs: basis, state, receipt and exit control', async () => {
  const rows = await rowsOf('deadlines')

  const row = (title: string) => rows.find((one) => one.title === title)
  const name = firm.ownerUser.name
  const colleague = made.other.user
  expect(row('Berufung')).toMatchObject({
    category: 'other',
    status: 'completed',
    overdue: false,
    verified_by: colleague.id,
    verified_by_name: colleague.name,
    completed_by_name: name,
    evidence: 'Erledigt',
    receipt_at: '2031-04-14T09:58:12.000Z',
    exit_control_by: colleague.id,
    exit_control_by_name: colleague.name,
    preset: null,
    steps: null,
  })
  expect(row('Begründung')).toMatchObject({
    category: 'begruendung',
    verified_by_name: null,
    exit_control_by: null,
    extension: 'requested',
    requested_until: '2031-06-06T21:59:59.000Z',
    preset: 'zpo_berufungsbegruendung',
    statute: '§ 520 Abs. 2 ZPO',
    event_date: '2031-03-06',
    posted_on: null,
    calculated_date: '2031-05-06',
    due_date: '2031-05-06',
    region: 'DE-BE',
    steps: expect.stringContaining('§ 188 Abs. 2 BGB: Die Frist von 2 Monaten endet'),
  })
  const provisional = rows.filter(({ provisional_for }) => provisional_for === made.reasons.id)
  expect(provisional.map(({ frist_type }) => frist_type)).toEqual(['vorfrist', 'hauptfrist'])
  expect(row('Beschwerde')).toMatchObject({ posted_on: '2031-03-03', pronounced_on: '2031-02-27' })
})

it('rows of invoices show their totals, and which invoice cancels which', async () => {
  const rows = await rowsOf('invoices')

  const byId = new Map(rows.map((row) => [row.id, row]))
  expect(byId.get(made.issued.id)).toMatchObject({
    number: made.issued.number,
    status: 'issued',
    file_number: made.aCase.file_number,
    party_name: 'Anna Meier',
    net: '209.99',
    tax: '38.70',
    gross: '248.69',
  })
  const first = byId.get(made.cancelled.id)
  const second = byId.get(first?.cancelled_by)
  expect([first?.status, second?.cancels, second?.gross]).toEqual(['cancelled', made.cancelled.id, '-119.00'])
  const total = (field: string) => rows.reduce((sum, row) => sum + Math.round(Number(row[field]) * 100), 0)
  expect(total('net') + total('tax')).toBe(total('gross'))
})

it('bookings for DATEV come from issued invoices, in Windows-1252, one for each tax rate', async () => {
  const settings = {
    consultant: '29098',
    client: '55003',
    revenue_account_19: '8400',
    revenue_account_7: '8300',
    revenue_account_0: '8200',
    debtor_account: '10000',
  }
  await firm.owner('PATCH', '/api/v1/workspace', { body: { datev: settings } })
  const { id } = await aConfig(firm, {
    name: 'Für DATEV',
    source: 'invoices',
    format: 'csv',
    csv_dialect: 'datev',
  })
  await billing(firm).makeDraft(made.aCase.id)

  const answer = await firm.owner('GET', `${configsPath}/${id}/execute`)

  expect(answer.headers.get('content-type')).toBe('text/csv; charset=windows-1252')
  const lines = new TextDecoder('windows-1252').decode(answer.bytes).split('\r\n')
  expect(lines[0]).toMatch(/^"EXTF";700;21;"Buchungsstapel";/)
  // Two rates of the first, the cancelled one, the one that cancels it, and the paid one.
  const bookings = lines.slice(2).filter((line) => line !== '')
  expect(bookings.map((line) => line.split(';').slice(0, 2).join(' '))).toEqual([
    '238,00 "S"',
    '10,69 "S"',
    '119,00 "S"',
    '119,00 "H"',
    '119,00 "S"',
  ])
})
