import { expect, it } from 'vitest'
import { billing } from '#test/support/billing.ts'
import { newFirm } from '#test/support/firm.ts'

const path = '/api/v1/invoices'

it('the list of invoices has every filter, alone and with others, the newest date first, without lines and warnings', async () => {
  const own = await newFirm()
  const { makeCase, makeDraft, act, getInvoice } = billing(own)
  const [one, other] = [await makeCase(), await makeCase()]
  const { body: party } = await own.owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })
  const ids: string[] = []
  for (let at = 0; at < 10; at += 1) {
    const draft = await makeDraft(at % 3 === 0 ? other : one, {
      invoice_date: `2026-03-${String(20 - (at % 5)).padStart(2, '0')}`,
      party_id: at % 2 === 0 ? party.id : null,
    })
    ids.push(draft.id)
    if (at % 4 === 0) await act(draft.id, 'issue')
    if (at === 4) await act(draft.id, 'pay')
    if (at === 8) ids.push((await act(draft.id, 'cancel')).body.cancelled_by)
  }
  await own.owner('DELETE', `${path}/${ids.pop()}`)
  const all = await Promise.all(ids.map(getInvoice))
  const listed = async (query: string) => {
    const found = []
    for (let cursor = ''; ; ) {
      const { body } = await own.owner('GET', `${path}?limit=2&${query}${cursor}`)
      found.push(...body.data)
      if (!body.pagination.has_more) return found
      cursor = `&cursor=${body.pagination.cursor}`
    }
  }
  const filters: [query: string, wanted: (invoice: (typeof all)[number]) => boolean][] = [
    ['', () => true],
    ['status=draft', (it) => it.status === 'draft'],
    ['status=issued', (it) => it.status === 'issued'],
    ['status=paid', (it) => it.status === 'paid'],
    ['status=cancelled', (it) => it.status === 'cancelled'],
    [`case_id=${other}`, (it) => it.case_id === other],
    [`case_id=${one}&status=draft`, (it) => it.case_id === one && it.status === 'draft'],
    [`party_id=${party.id}`, (it) => it.party_id === party.id],
    [`party_id=${party.id}&status=issued`, (it) => it.party_id === party.id && it.status === 'issued'],
    [
      'date_from=2026-03-18&date_to=2026-03-19',
      (it) => it.invoice_date >= '2026-03-18' && it.invoice_date <= '2026-03-19',
    ],
  ]
  for (const [query, wanted] of filters) {
    const expected = all
      .filter(wanted)
      .toSorted((a, b) => (`${a.invoice_date}${a.id}` < `${b.invoice_date}${b.id}` ? 1 : -1))
      .map(({ lines: _, basis: __, warnings: ___, ...summary }) => summary)
    expect([query, await listed(query)]).toEqual([query, expected])
  }
})

it.each([
  ['status=offen', 'VALIDATION_ERROR'],
  ['case_id=unsinn', 'VALIDATION_ERROR'],
  ['party_id=unsinn', 'VALIDATION_ERROR'],
  ['date_from=gestern', 'VALIDATION_ERROR'],
  ['date_from=2026-03-02&date_to=2026-03-01', 'INVALID_DATE_RANGE'],
])('the list of invoices answers 400 to %s', async (query, code) => {
  const { owner } = await newFirm()

  const { status, body } = await owner('GET', `${path}?${query}`)

  expect([status, body.error.code]).toEqual([400, code])
})
