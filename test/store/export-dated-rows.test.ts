import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import type { Db } from '#store/db.ts'
import {
  berlin,
  expectedIds,
  ids,
  moments,
  optional,
  set,
  someDays,
  zones,
} from '#test/support/export-row-days.ts'
import { exportFirm } from '#test/support/export-sources.ts'
import { ownTable } from '#test/support/own-table.ts'
import fc from '#test/support/properties.ts'

let db: Db
beforeAll(async () => {
  db = await ownTable()
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

    expect(named).toMatchObject({
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

  it('say what a deadline is at the moment of the export, as its lists do', async () => {
    const firm = exportFirm(db)
    const due_at = '2026-05-01T21:59:59.000Z'
    const verified = { verified_by: 'usr_2', verified_at: '2026-04-01T08:00:00.000Z' }
    await firm.addDeadlines([firm.aDeadline({ due_at, category: 'notfrist', ...verified })])

    const open = firm.aDeadline({ due_at: '2026-05-02T21:59:59.000Z' })
    await firm.addDeadlines([open])

    const at = async (now: string) => {
      const [row] = await firm.rows('deadlines', { now: new Date(now) })
      return [row?.category, row?.status, row?.overdue]
    }
    const having = async (status: string, now: string) =>
      ids(await firm.rows('deadlines', { now: new Date(now), filters: { status } }))

    expect(await having('expired', '2026-05-02T21:59:59.999Z')).toEqual([])
    expect(await having('pending', '2026-05-02T21:59:59.999Z')).toEqual([open.id])
    expect(await having('expired', '2026-05-02T22:00:00.000Z')).toEqual([open.id])
    expect(await at('2026-05-01T21:59:59.000Z')).toEqual(['notfrist', 'verified', false])
    expect(await at('2026-05-01T22:00:00.000Z')).toEqual(['notfrist', 'verified', true])
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
    expect(rows).toMatchObject([
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
