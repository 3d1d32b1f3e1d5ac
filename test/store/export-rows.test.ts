import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CaseRecord } from '#cases/ports.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { SourceFilters } from '#exports/ports.ts'
import type { Row } from '#exports/table-schema.ts'
import { newId } from '#kernel/id.ts'
import type { PartyRecord } from '#parties/ports.ts'
import type { Db } from '#store/db.ts'
import { exportFirm, idAt } from '#test/support/export-sources.ts'
import { ownTable } from '#test/support/own-table.ts'

let db: Db
beforeAll(async () => {
  db = await ownTable()
})

const berlin = 'Europe/Berlin'

/** The day of a moment by the runtime's own calendar and not by the code under test. */
const dayOf = (moment: string, zone: string) =>
  new Date(moment).toLocaleString('sv-SE', { timeZone: zone }).slice(0, 10)

/** Moments around the ends of days: ordinary ones, those of summer time, and the ends of years. */
const moments = [
  '2025-12-31T22:59:59.999Z',
  '2025-12-31T23:00:00.000Z',
  '2026-01-01T11:00:00.000Z',
  '2026-01-01T22:59:59.999Z',
  '2026-03-28T22:59:59.999Z',
  '2026-03-28T23:00:00.000Z',
  '2026-03-29T00:59:59.999Z',
  '2026-03-29T01:00:00.000Z',
  '2026-03-29T21:59:59.999Z',
  '2026-03-29T22:00:00.000Z',
  '2026-10-24T21:59:59.999Z',
  '2026-10-24T22:00:00.000Z',
  '2026-10-25T22:59:59.999Z',
  '2026-10-25T23:00:00.000Z',
  '2026-12-31T23:00:00.000Z',
  '2026-12-31T23:59:59.999Z',
]

const days = [...new Set(moments.flatMap((at) => [berlin, 'UTC'].map((zone) => dayOf(at, zone))))].toSorted()

const zones = fc.constantFrom(berlin, 'UTC', 'America/New_York', 'Pacific/Kiritimati')

/** A first and a last day, or one of them, or none. */
const someDays = fc
  .tuple(fc.option(fc.constantFrom(...days)), fc.option(fc.constantFrom(...days)))
  .map(([one, other]): Pick<SourceFilters, 'date_from' | 'date_to'> => {
    const [date_from, date_to] = one !== null && other !== null && one > other ? [other, one] : [one, other]
    return { ...(date_from !== null && { date_from }), ...(date_to !== null && { date_to }) }
  })

const optional = <Value extends string>(...values: Value[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined })

/** The filters that are set. */
const set = (filters: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))

/** The ids of the rows that any reader of all records would choose, in the order of date and id. */
function expectedIds(
  records: (Record<string, unknown> & { id: string })[],
  { date_from, date_to, ...values }: SourceFilters,
  zone: string,
  date: 'created_at' | 'due_at' | 'invoice_date' | 'date' = 'created_at',
): string[] {
  return records
    .filter((record) => {
      const day = date.endsWith('_at') ? dayOf(record[date] as string, zone) : (record[date] as string)
      return (
        (date_from === undefined || day >= date_from) &&
        (date_to === undefined || day <= date_to) &&
        Object.entries(values).every(([name, value]) => record[name] === value)
      )
    })
    .toSorted((one, other) => {
      const [a, b] = [one, other].map((record) => `${record[date]} ${record.id}`) as [string, string]
      return a < b ? -1 : 1
    })
    .map(({ id }) => id)
}

const ids = (rows: Row[]) => rows.map(({ id }) => id)

describe('the rows of cases', () => {
  it('are those of the days and values asked for, in the order of creation, by any combination', async () => {
    const firm = exportFirm(db)
    const records: CaseRecord[] = []
    for (const [at, moment] of [...moments, ...moments].entries())
      records.push(
        await firm.addCase({
          id: idAt('case', moment),
          status: (['active', 'closed', 'archived'] as const)[at % 3] ?? 'active',
          type: ['litigation', 'Größe & mehr', null][at % 5] ?? null,
          dezernat: at % 2 === 0 ? 'Erbrecht' : null,
        }),
      )
    const filters = fc.record({
      status: optional('active', 'closed', 'archived'),
      type: optional('litigation', 'Größe & mehr', 'unbekannt'),
      dezernat: optional('Erbrecht', 'Mietrecht'),
    })

    await fc.assert(
      fc.asyncProperty(someDays, filters, zones, fc.boolean(), async (range, values, zone, whole) => {
        const asked = { ...range, ...set(values) }

        const rows = await firm.rows('cases', {
          filters: asked,
          time_zone: zone,
          fields: whole ? ['description'] : ['name'],
        })

        expect(ids(rows)).toEqual(expectedIds(records, asked, zone))
      }),
    )
  })

  it('show every field alike, whether or not the records are read', async () => {
    const firm = exportFirm(db)
    const record = await firm.addCase({ type: 'litigation', description: 'Öffentlich', name: 'Weiß' })
    const fields = ['file_number', 'name', 'status', 'type', 'dezernat', 'id', 'created_at'] as const

    const [whole] = await firm.rows('cases', { fields: [...fields, 'description', 'updated_at'] })
    const [listed] = await firm.rows('cases', { fields: [...fields] })

    const expected = Object.fromEntries(fields.map((field) => [field, record[field]]))
    expect(listed).toMatchObject(expected)
    expect(whole).toMatchObject({
      ...expected,
      description: record.description,
      updated_at: record.updated_at,
    })
  })
})

describe('the rows of parties', () => {
  it('are those of the days and the type asked for, in the order of creation', async () => {
    const firm = exportFirm(db)
    const records: PartyRecord[] = []
    for (const [at, moment] of moments.entries())
      records.push(
        await firm.addParty({
          id: idAt('party', moment),
          type: at % 3 === 0 ? 'organization' : 'person',
        }),
      )

    await fc.assert(
      fc.asyncProperty(someDays, optional('person', 'organization'), zones, async (range, type, zone) => {
        const asked = { ...range, ...set({ type }) }

        const rows = await firm.rows('parties', { filters: asked, time_zone: zone })

        expect(ids(rows)).toEqual(expectedIds(records, asked, zone))
      }),
    )
    const [first] = await firm.rows('parties')
    expect(first).toEqual({
      name: 'Jörg Größl',
      type: 'organization',
      email: null,
      phone: null,
      address: null,
      id: records[0]?.id,
      created_at: moments[0],
      updated_at: moments[0],
    })
  })
})

describe('the rows of documents', () => {
  it('are those of the days, case and folder asked for, in the order of creation', async () => {
    const firm = exportFirm(db)
    const cases = [await firm.addCase(), await firm.addCase()].map(({ id }) => id)
    const folder_id = await firm.addFolder('Posteingang')
    const records: DocumentRecord[] = []
    for (const [at, moment] of moments.entries())
      records.push(
        await firm.addDocument({
          id: idAt('document', moment),
          case_id: cases[at % 3] ?? null,
          folder_id: at % 2 === 0 ? folder_id : null,
        }),
      )
    const filters = fc.record({
      case_id: optional(...cases, newId('case')),
      folder_id: optional(folder_id, newId('folder')),
    })

    await fc.assert(
      fc.asyncProperty(someDays, filters, zones, async (range, values, zone) => {
        const asked = { ...range, ...set(values) }

        const rows = await firm.rows('documents', { filters: asked, time_zone: zone })

        expect(ids(rows)).toEqual(expectedIds(records, asked, zone))
      }),
    )
  })

  it('have the names of case and folder only where they are asked for', async () => {
    const firm = exportFirm(db)
    const { id: case_id, file_number } = await firm.addCase()
    const folder_id = await firm.addFolder('Anträge')
    await firm.addDocument({ case_id, folder_id })
    await firm.addDocument()

    const named = await firm.rows('documents', { fields: ['file_number', 'folder_name'] })
    const bare = await firm.rows('documents', { fields: ['case_id', 'folder_id'] })

    expect(named).toMatchObject([
      { case_id, file_number, folder_id, folder_name: 'Anträge' },
      { case_id: null, file_number: null, folder_id: null, folder_name: null },
    ])
    expect(bare).toMatchObject([{ case_id, folder_id, file_number: null, folder_name: null }, {}])
  })

  it('have none of an upload that did not arrive in time', async () => {
    const firm = exportFirm(db)
    const upload_expires_at = '2026-05-01T12:00:00.000Z'
    const { id } = await firm.addDocument({ upload_expires_at })

    const before = await firm.rows('documents', { now: new Date('2026-05-01T11:59:59.000Z') })
    const after = await firm.rows('documents', { now: new Date('2026-05-01T12:00:01.000Z') })

    expect(ids(before)).toEqual([id])
    expect(after).toEqual([])
  })
})

describe('the rows of deadlines', () => {
  const now = new Date('2026-10-25T00:00:00.000Z')

  it('are those of the days, status and case asked for, in the order of due times, but struck ones', async () => {
    const firm = exportFirm(db)
    const cases = [newId('case'), newId('case')]
    const done = '2026-01-02T00:00:00.000Z'
    const records = [...moments, ...moments, ...moments].map((due_at, at) =>
      firm.aDeadline({
        due_at,
        case_id: cases[at % 2] ?? '',
        ...(at % 5 === 1 && { verified_by: 'usr_2', verified_at: done }),
        ...(at % 5 === 2 && { completed_by: 'usr_1', completed_at: done }),
        ...(at % 5 === 3 && { struck_by: 'usr_1', struck_at: done }),
      }),
    )
    await firm.addDeadlines(records)
    const shown = records
      .filter(({ struck_at }) => struck_at === null)
      .map(({ id, due_at, case_id, verified_at, completed_at }) => {
        const open = new Date(due_at) < now ? 'expired' : 'pending'
        const status = completed_at !== null ? 'completed' : verified_at !== null ? 'verified' : open
        return { id, due_at, case_id, status }
      })
    const filters = fc.record({
      status: optional('pending', 'verified', 'expired', 'completed'),
      case_id: optional(...cases, newId('case')),
    })

    await fc.assert(
      fc.asyncProperty(someDays, filters, zones, async (range, values, zone) => {
        const asked = { ...range, ...set(values) }

        const rows = await firm.rows('deadlines', { filters: asked, time_zone: zone, now })

        expect(ids(rows)).toEqual(expectedIds(shown, asked, zone, 'due_at'))
        for (const { id, status } of rows)
          expect(status).toBe(shown.find((record) => record.id === id)?.status)
      }),
    )
  })

  it('have the names of case and user only where they are asked for', async () => {
    const firm = exportFirm(db)
    const { id: case_id, file_number } = await firm.addCase({ name: 'Weiß ./. Öztürk' })
    const assigned_to = await firm.addUser('Jörg Größl')
    const deadline = firm.aDeadline({ case_id, assigned_to })
    await firm.addDeadlines([deadline])

    const [named] = await firm.rows('deadlines', { fields: ['case_name', 'assigned_to_name'] })
    const [bare] = await firm.rows('deadlines')

    expect(named).toEqual({
      title: 'Berufungsbegründung',
      frist_type: 'hauptfrist',
      due_at: deadline.due_at,
      status: 'pending',
      case_id,
      file_number,
      case_name: 'Weiß ./. Öztürk',
      assigned_to,
      assigned_to_name: 'Jörg Größl',
      verified_by: null,
      verified_at: null,
      completed_by: null,
      completed_at: null,
      id: deadline.id,
      created_at: deadline.created_at,
    })
    expect(bare).toMatchObject({ case_name: null, file_number: null, assigned_to_name: null })
  })
})

/** Days of a record, and those asked for, are the same ones. */
const someDates = ['2025-12-31', '2026-01-01', '2026-03-29', '2026-10-25', '2026-12-31']

describe('the rows of invoices', () => {
  it('are those of the days, status, case and party asked for, in the order of their dates', async () => {
    const firm = exportFirm(db)
    const cases = [newId('case'), newId('case')]
    const parties = [newId('party'), newId('party')]
    const statuses = ['draft', 'issued', 'paid', 'cancelled'] as const
    const records = Array.from({ length: 60 }, (_, at) =>
      firm.anInvoice({
        invoice_date: someDates[(at * 7) % 5] ?? '',
        case_id: cases[at % 2] ?? '',
        party_id: parties[at % 3] ?? null,
        status: statuses[(at * 3) % 4] ?? 'draft',
      }),
    )
    await firm.addInvoices(records)
    const filters = fc.record({
      status: optional(...statuses),
      case_id: optional(...cases, newId('case')),
      party_id: optional(...parties, newId('party')),
    })

    await fc.assert(
      fc.asyncProperty(someDays, filters, zones, async (range, values, zone) => {
        const asked = { ...range, ...set(values) }

        const rows = await firm.rows('invoices', { filters: asked, time_zone: zone })

        expect(ids(rows)).toEqual(expectedIds(records, asked, zone, 'invoice_date'))
      }),
    )
  })

  it('have the number of the case where it is asked for, the name that stands on them, and nulls where there is nothing', async () => {
    const firm = exportFirm(db)
    const { id: case_id, file_number } = await firm.addCase()
    const { id: party_id } = await firm.addParty({ name: 'Größl AG', type: 'organization' })
    const draft = firm.anInvoice({ case_id, invoice_date: '2026-05-01' })
    const paid = firm.anInvoice({
      case_id,
      party_id,
      number: 'R-2026-0001',
      status: 'paid',
      invoice_date: '2026-05-02',
      due_date: '2026-05-16',
      paid_at: '2026-05-10T08:00:00.000Z',
      // The party was renamed since.
      buyer: { ...draft.buyer, name: 'Größl GmbH' },
    })
    await firm.addInvoices([draft, paid])

    const rows = await firm.rows('invoices', { fields: ['file_number', 'party_name'] })

    const amounts = { net: '100.00', tax: '19.00', gross: '119.00', currency: 'EUR' }
    const never = { cancels: null, cancelled_by: null }
    const shared = { ...amounts, ...never, case_id, file_number }
    expect(rows).toEqual([
      {
        ...shared,
        number: null,
        status: 'draft',
        invoice_date: '2026-05-01',
        due_date: null,
        party_id: null,
        party_name: null,
        paid_at: null,
        id: draft.id,
        created_at: draft.created_at,
      },
      {
        ...shared,
        number: 'R-2026-0001',
        status: 'paid',
        invoice_date: '2026-05-02',
        due_date: '2026-05-16',
        party_id,
        party_name: 'Größl GmbH',
        paid_at: '2026-05-10T08:00:00.000Z',
        id: paid.id,
        created_at: paid.created_at,
      },
    ])
  })
})

describe('the rows of time entries', () => {
  it('are those of the days, user and case asked for, billable or not, in the order of days of work', async () => {
    const firm = exportFirm(db)
    const cases = [newId('case'), newId('case')]
    const users = [newId('user'), newId('user')]
    const records = Array.from({ length: 60 }, (_, at) =>
      firm.aTimeEntry({
        date: someDates[(at * 7) % 5] ?? '',
        case_id: cases[at % 2] ?? '',
        user_id: users[at % 3] ?? newId('user'),
        billable: at % 4 !== 0,
      }),
    )
    await firm.addTimeEntries(records)
    const filters = fc.record({
      case_id: optional(...cases, newId('case')),
      user_id: optional(...users, newId('user')),
    })
    const billable = fc.constantFrom({}, { billable: true }, { billable: false })

    await fc.assert(
      fc.asyncProperty(someDays, filters, billable, async (range, values, more) => {
        const asked = { ...range, ...set(values), ...more }

        const rows = await firm.rows('time_entries', { filters: asked })

        expect(ids(rows)).toEqual(expectedIds(records, asked, berlin, 'date'))
      }),
    )
  })

  it('have the names of user and case where they are asked for, and nulls where there is nothing', async () => {
    const firm = exportFirm(db)
    const { id: case_id, file_number, name } = await firm.addCase()
    const user_id = await firm.addUser('Jörg Größl')
    const entry = firm.aTimeEntry({ case_id, user_id, rate: null, amount: null })
    await firm.addTimeEntries([entry])

    const rows = await firm.rows('time_entries', { fields: ['user_name', 'case_name'] })

    expect(rows).toEqual([
      {
        date: '2026-05-01',
        minutes: 90,
        activity: 'Telefonat',
        billable: true,
        rate: null,
        amount: null,
        user_id,
        user_name: 'Jörg Größl',
        case_id,
        file_number,
        case_name: name,
        invoice_id: null,
        id: entry.id,
        created_at: entry.created_at,
      },
    ])
  })
})
