import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '#test/support/api.ts'
import { billing } from '#test/support/billing.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let make: ReturnType<typeof billing>
let caseId: string
beforeAll(async () => {
  firm = await newFirm()
  make = billing(firm)
  caseId = await make.makeCase()
})

const post = (lines: object[], more: object = {}) =>
  firm.owner('POST', '/api/v1/invoices', {
    body: { case_id: caseId, buyer: { name: 'Anna Meier' }, lines, ...more },
  })
const patch = (id: string, body: object) => firm.owner('PATCH', `/api/v1/invoices/${id}`, { body })
const patchTime = (id: string, body: object) => firm.owner('PATCH', `/api/v1/time-entries/${id}`, { body })
const deleteTime = (id: string) => firm.owner('DELETE', `/api/v1/time-entries/${id}`)
const named = (...entries: { id: string }[]) => entries.map(({ id }) => ({ time_entry_id: id }))
const holderOf = async ({ id }: { id: string }) => (await make.getTime(id)).invoice_id

describe('a line that names a time entry', () => {
  it('uses the entry’s activity, hours and rate unless it sets others, and both refer to each other', async () => {
    const time = await make.makeTime(caseId, { minutes: 90, rate: '200', activity: 'Termin' })
    const [flat, longer] = [await make.makeTime(caseId), await make.makeTime(caseId)]
    const { body } = await post([
      { time_entry_id: time.id },
      { time_entry_id: flat.id, text: 'Pauschal', quantity: '1', unit_price: '250.00', tax_rate: '7' },
      { time_entry_id: longer.id, quantity: '2' },
    ])

    const [first, second, third] = body.lines
    expect(first).toEqual({
      text: 'Termin',
      quantity: '1.5',
      unit: 'hour',
      unit_price: '200',
      tax_rate: '19',
      net: '300.00',
      time_entry_id: time.id,
    })
    expect(second).toMatchObject({ text: 'Pauschal', quantity: '1', unit: 'piece', net: '250.00' })
    expect(third).toMatchObject({ quantity: '2', unit: 'hour', unit_price: '200.00', net: '400.00' })
    expect(await make.getTime(time.id)).toEqual({ ...time, invoice_id: body.id })
    const { data } = (await firm.owner('GET', `/api/v1/time-entries?case_id=${caseId}`)).body
    expect(data.find(({ id }: { id: string }) => id === time.id).invoice_id).toBe(body.id)
  })

  it.each([
    [100, '210.00', '350.00'],
    [50, '200', '166.67'],
    [1, '333.3333', '5.56'],
    [37, '0.0100', '0.01'],
    [59, '189.99', '186.82'],
  ])('bills %i minutes at %s to the cent', async (minutes, rate, amount) => {
    const time = await make.makeTime(caseId, { minutes, rate })
    const { body } = await post(named(time))

    expect([time.amount, body.lines[0].net, body.net]).toEqual([amount, amount, amount])
  })

  it('can be sent back as it is, whatever the time entry costs', async () => {
    const time = await make.makeTime(caseId, { minutes: 1_439, rate: '9999999.9999' })
    const { body } = await post(named(time))

    const again = await patch(body.id, { lines: body.lines, due_date: '2099-01-01' })

    expect(body.net).toBe('239833333.33')
    expect([again.status, again.body.lines]).toEqual([200, body.lines])
  })

  it('names one of the invoice’s case, billable, free, with a price, and once', async () => {
    const elsewhere = await make.makeTime(await make.makeCase())
    const unbillable = await make.makeTime(caseId, { billable: false })
    const unpriced = await make.makeTime(caseId, { rate: null })
    const free = await make.makeTime(caseId)
    const taken = await make.makeTime(caseId)
    const { body: draft } = await post(named(taken))

    const paths = async (...entries: { id: string }[]) => {
      const { status, body } = await post(named(free, ...entries))
      return [status, body.error.code, body.error.details.map(({ path }: { path: string }) => path)]
    }
    expect(await paths(elsewhere)).toEqual([400, 'VALIDATION_ERROR', ['body.lines.1.time_entry_id']])
    expect(await paths(unbillable)).toEqual([400, 'VALIDATION_ERROR', ['body.lines.1.time_entry_id']])
    expect(await paths(unpriced)).toEqual([400, 'VALIDATION_ERROR', ['body.lines.1.unit_price']])
    expect(await paths(free)).toEqual([400, 'VALIDATION_ERROR', ['body.lines.1.time_entry_id']])
    expect(await paths(taken)).toEqual([409, 'TIME_ENTRY_INVOICED', ['body.lines.1.time_entry_id']])
    expect(codeOf(await post(named(free, { id: 'time_unsinn' })))).toEqual([404, 'TIME_ENTRY_NOT_FOUND'])
    expect([await holderOf(free), await holderOf(taken)]).toEqual([null, draft.id])
    expect((await post([{ time_entry_id: unpriced.id, unit_price: '1' }])).status).toBe(201)
  })

  it('lets it go when the draft names it no longer, moves to no other case with it, or is deleted', async () => {
    const [one, other] = [await make.makeTime(caseId), await make.makeTime(caseId)]
    const { body: draft } = await post(named(one))
    const moved = await patch(draft.id, { case_id: await make.makeCase() })
    await patch(draft.id, { lines: named(other) })
    const afterChange = [await holderOf(one), await holderOf(other)]
    await firm.owner('DELETE', `/api/v1/invoices/${draft.id}`)

    expect(codeOf(moved)).toEqual([400, 'VALIDATION_ERROR'])
    expect(afterChange).toEqual([null, draft.id])
    expect(await holderOf(other)).toBe(null)
  })

  it('keeps its content when the time entry changes; the entry stays billable in its case while it is on a draft', async () => {
    const time = await make.makeTime(caseId)
    const { body: draft } = await post(named(time))
    const changed = await patchTime(time.id, { minutes: 30, activity: 'Kürzer' })

    expect(changed.body).toMatchObject({ minutes: 30, amount: '100.00', invoice_id: draft.id })
    expect((await make.getInvoice(draft.id)).lines[0]).toMatchObject({ quantity: '1', net: '200.00' })
    expect(codeOf(await patchTime(time.id, { billable: false }))).toEqual([409, 'TIME_ENTRY_INVOICED'])
    expect(codeOf(await patchTime(time.id, { case_id: await make.makeCase() }))).toEqual([
      409,
      'TIME_ENTRY_INVOICED',
    ])
    expect(codeOf(await deleteTime(time.id))).toEqual([409, 'TIME_ENTRY_INVOICED'])
  })

  it('freezes the time entry when the invoice is issued or paid, until it is cancelled', async () => {
    const time = await make.makeTime(caseId)
    const { body: draft } = await post(named(time))
    await make.act(draft.id, 'issue')
    const whenIssued = [await patchTime(time.id, { minutes: 30 }), await deleteTime(time.id)]
    await make.act(draft.id, 'pay')
    const whenPaid = [await patchTime(time.id, { activity: 'Anders' }), await deleteTime(time.id)]
    const unchanged = await patchTime(time.id, { minutes: 60 })
    await make.act(draft.id, 'cancel')
    const free = await patchTime(time.id, { minutes: 30 })

    expect([...whenIssued, ...whenPaid].map(codeOf)).toEqual(Array(4).fill([409, 'TIME_ENTRY_INVOICED']))
    expect(unchanged.body).toEqual({ ...time, invoice_id: draft.id })
    expect([free.status, free.body.invoice_id, (await deleteTime(time.id)).status]).toEqual([200, null, 204])
  })
})

describe('an invoice of many time entries', () => {
  it('bills 230 of them at once, more than a transaction holds, and frees them when it is cancelled', async () => {
    const own = await newFirm()
    const { makeCase, makeTime, makeDraft, act, getInvoice } = billing(own)
    const its = await makeCase()
    const entries = await Promise.all(Array.from({ length: 230 }, () => makeTime(its, { minutes: 20 })))
    const held = async () => {
      const found: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await own.owner('GET', `/api/v1/time-entries?limit=100${cursor}`)
        found.push(...body.data.map((entry: { invoice_id: string }) => entry.invoice_id))
        if (!body.pagination.has_more) return found
        cursor = `&cursor=${body.pagination.cursor}`
      }
    }
    const draft = await makeDraft(its, { lines: named(...entries) })
    const whenDrafted = await held()
    await act(draft.id, 'issue')
    const issued = await getInvoice(draft.id)
    const refused = await own.owner('POST', '/api/v1/invoices', {
      body: { case_id: its, lines: named(entries[229]) },
    })
    await act(draft.id, 'cancel')

    // 20 minutes at 200 EUR are 66.67.
    expect([issued.net, issued.tax, issued.gross]).toEqual(['15334.10', '2913.48', '18247.58'])
    expect(whenDrafted).toEqual(Array(230).fill(draft.id))
    expect(codeOf(refused)).toEqual([409, 'TIME_ENTRY_INVOICED'])
    expect(await held()).toEqual(Array(230).fill(null))
  })
})
