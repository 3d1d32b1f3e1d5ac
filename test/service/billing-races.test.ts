import { describe, expect, it } from 'vitest'
import { billing } from '#test/support/billing.ts'
import { newFirm } from '#test/support/firm.ts'

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

async function aFirm() {
  const firm = await newFirm()
  const make = billing(firm)
  return { ...firm, ...make, caseId: await make.makeCase() }
}

const numberOf = ({ body }: { body: { number: string } }) => Number(body.number.split('-')[2])
const ascending = (one: number, other: number) => one - other
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)

describe('invoices at the same moment (X7)', () => {
  it('twenty that are issued at once get twenty numbers without a gap', async () => {
    const { caseId, makeDraft, act } = await aFirm()
    const drafts = await times(20, () => makeDraft(caseId))

    const issued = await times(20, (index) => act(drafts[index].id, 'issue'))

    expect(statuses(issued)).toEqual(Array(20).fill(200))
    expect(issued.map(numberOf).toSorted(ascending)).toEqual(upTo(20))
  })

  it('of two processes, issued and cancelled, share the numbers of a year without a gap', async () => {
    const { caseId, makeDraft, act, getInvoice, colleague } = await aFirm()
    // Another process than the service's: nothing but the table is between the two.
    const { handler } = await import('#functions/billing/index.ts')
    const { key } = await colleague()
    const elsewhere = async (id: string, action: string) => {
      const event = {
        httpMethod: 'POST',
        resource: `/api/v1/invoices/{id}/${action}`,
        pathParameters: { id },
        headers: { Authorization: `Bearer ${key}` },
        requestContext: { requestId: id },
      } as unknown as Parameters<typeof handler>[0]
      const context = { getRemainingTimeInMillis: () => 29_000 } as Parameters<typeof handler>[1]
      const answer = await handler(event, context)
      return { status: answer.statusCode, body: JSON.parse(answer.body) }
    }
    const drafts = await times(20, () => makeDraft(caseId))
    const first = await times(10, (index) => act(drafts[index].id, 'issue'))

    const [issued, cancelled] = await Promise.all([
      times(10, (index) => elsewhere(drafts[10 + index].id, 'issue')),
      times(10, (index) => act(drafts[index].id, index % 2 === 0 ? 'cancel' : 'pay')),
    ])

    expect(statuses([...issued, ...cancelled])).toEqual(Array(20).fill(200))
    const by = await Promise.all(
      cancelled.flatMap(({ body }) => (body.cancelled_by === null ? [] : getInvoice(body.cancelled_by))),
    )
    const numbers = [...first, ...issued, ...by.map((body) => ({ body }))].map(numberOf)
    expect(numbers.toSorted(ascending)).toEqual(upTo(25))
  })

  it('one that is issued eight times at once has one number and one timeline entry', async () => {
    const { owner, caseId, makeDraft, act } = await aFirm()
    const draft = await makeDraft(caseId)

    const issued = await times(8, () => act(draft.id, 'issue'))
    const next = await act((await makeDraft(caseId)).id, 'issue')

    expect(statuses(issued)).toEqual(Array(8).fill(200))
    expect(new Set(issued.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect([issued, next].flat().map(numberOf)).toEqual([...Array(8).fill(1), 2])
    const { data } = (await owner('GET', `/api/v1/cases/${caseId}/timeline`)).body
    expect(data.filter(({ type }: { type: string }) => type === 'invoice.issued')).toHaveLength(2)
  })

  it('one that is issued while it is changed or deleted is issued as it was or as it became, never between', async () => {
    const { owner, caseId, makeDraft, act, getInvoice } = await aFirm()
    let numbers = 0
    for (let round = 0; round < 12; round += 1) {
      const draft = await makeDraft(caseId)
      const path = `/api/v1/invoices/${draft.id}`
      const lines = [{ text: 'Geändert', unit_price: '55.55' }]
      const [issued, changed, deleted] = await Promise.all([
        act(draft.id, 'issue'),
        owner('PATCH', path, { body: { lines } }),
        round % 2 === 0 ? owner('DELETE', path) : undefined,
      ])
      const after = await getInvoice(draft.id)

      if (issued.status === 404) {
        expect([deleted?.status, after.error?.code]).toEqual([204, 'INVOICE_NOT_FOUND'])
        continue
      }
      numbers += 1
      expect(issued.status).toBe(200)
      expect([undefined, 404, 409]).toContain(deleted?.status)
      expect(after).toEqual(issued.body)
      expect(after.net).toBe(changed.status === 200 ? '55.55' : '100.00')
    }
    expect(numberOf(await act((await makeDraft(caseId)).id, 'issue'))).toBe(numbers + 1)
  })

  it('one that is cancelled eight times at once is cancelled by one', async () => {
    const { owner, caseId, makeDraft, act } = await aFirm()
    const draft = await makeDraft(caseId)
    await act(draft.id, 'issue')

    const cancelled = await times(8, () => act(draft.id, 'cancel'))

    expect(statuses(cancelled)).toEqual(Array(8).fill(200))
    expect(new Set(cancelled.map(({ body }) => body.cancelled_by)).size).toBe(1)
    expect((await owner('GET', '/api/v1/invoices')).body.data).toHaveLength(2)
  })

  it('a time entry that eight drafts name at once is on exactly one of them, and the others are refused', async () => {
    const { owner, caseId, makeTime, getTime } = await aFirm()
    for (let round = 0; round < 4; round += 1) {
      const entries = await times(20, () => makeTime(caseId))
      const lines = entries.map(({ id }) => ({ time_entry_id: id }))

      const answers = await times(8, (index) =>
        owner('POST', '/api/v1/invoices', {
          body: { case_id: caseId, lines: index % 2 === 0 ? lines : lines.toReversed() },
        }),
      )

      const made = answers.filter(({ status }) => status === 201)
      expect(statuses(answers).toSorted(ascending)).toEqual([201, ...Array(7).fill(409)])
      const holders = await Promise.all(entries.map(async ({ id }) => (await getTime(id)).invoice_id))
      expect(holders).toEqual(Array(20).fill(made[0]?.body.id))
    }
  })

  it('a time entry that two drafts add and remove is reserved only by the draft that bills it', async () => {
    const { owner, caseId, makeTime, makeDraft, getTime, getInvoice } = await aFirm()
    const [time, other] = [await makeTime(caseId), await makeTime(caseId)]
    const drafts = await times(2, () => makeDraft(caseId))
    const choices = [[time], [other], [], [time, other]]
    for (let round = 0; round < 10; round += 1) {
      await times(6, (index) =>
        owner('PATCH', `/api/v1/invoices/${drafts[index % 2].id}`, {
          body: {
            lines: (choices[(index + round) % 4] ?? []).map(({ id }) => ({ time_entry_id: id })),
          },
        }),
      )
      const billed = new Map<string, string>()
      for (const { id } of drafts)
        for (const { time_entry_id } of (await getInvoice(id)).lines) {
          expect(billed.has(time_entry_id)).toBe(false)
          billed.set(time_entry_id, id)
        }
      for (const { id } of [time, other]) expect((await getTime(id)).invoice_id).toBe(billed.get(id) ?? null)
    }
  })

  it('a time entry that is deleted or made unbillable while a draft takes it is never billed so', async () => {
    const { owner, caseId, makeTime, getInvoice } = await aFirm()
    for (let round = 0; round < 12; round += 1) {
      const { id } = await makeTime(caseId)
      const path = `/api/v1/time-entries/${id}`
      const [made, changed] = await Promise.all([
        owner('POST', '/api/v1/invoices', { body: { case_id: caseId, lines: [{ time_entry_id: id }] } }),
        round % 2 === 0 ? owner('DELETE', path) : owner('PATCH', path, { body: { billable: false } }),
      ])

      const isChanged = changed.status === 204 || changed.status === 200
      expect([made.status === 201, isChanged]).toContain(true)
      expect(made.status === 201 && isChanged).toBe(false)
      if (made.status === 201) expect((await getInvoice(made.body.id)).lines).toHaveLength(1)
    }
  })

  it('a time entry changes before it is issued or not at all', async () => {
    const { owner, caseId, makeTime, makeDraft, act, getTime } = await aFirm()
    for (let round = 0; round < 10; round += 1) {
      const time = await makeTime(caseId)
      const draft = await makeDraft(caseId, { lines: [{ time_entry_id: time.id }] })

      const [, changed] = await Promise.all([
        act(draft.id, 'issue'),
        owner('PATCH', `/api/v1/time-entries/${time.id}`, { body: { minutes: 30 } }),
      ])

      expect([200, 409]).toContain(changed.status)
      expect((await getTime(time.id)).minutes).toBe(changed.status === 200 ? 30 : 60)
    }
  })
})
