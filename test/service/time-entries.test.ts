import { beforeAll, describe, expect, it } from 'vitest'
import type { TimeEntry } from '#billing/schema.ts'
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

const path = '/api/v1/time-entries'
const entry = { date: '2026-03-16', minutes: 50, activity: 'Telefonat mit dem Mandanten' }

describe('a time entry (X6)', () => {
  it('is recorded for the caller as billable, read, changed under its ETag and deleted', async () => {
    const added = await firm.owner('POST', path, { body: { ...entry, case_id: caseId, rate: '200' } })
    const its = `${path}/${added.body.id}`
    const read = await firm.owner('GET', its)
    const changed = await firm.owner('PATCH', its, {
      body: { minutes: 51, rate: null },
      headers: { 'If-Match': added.headers.get('etag') ?? '' },
    })
    const late = await firm.owner('PATCH', its, {
      body: { minutes: 52 },
      headers: { 'If-Match': added.headers.get('etag') ?? '' },
    })
    const deleted = await firm.owner('DELETE', its)
    const gone = await firm.owner('GET', its)

    expect(added.status).toBe(201)
    expect(added.body).toEqual({
      ...entry,
      id: expect.stringMatching(/^time_[0-9a-f-]{36}$/),
      case_id: caseId,
      user_id: firm.ownerUser.id,
      billable: true,
      rate: '200',
      amount: '166.67',
      invoice_id: null,
      created_at: expect.any(String),
    })
    expect(read.body).toEqual(added.body)
    expect(changed.body).toEqual({ ...added.body, minutes: 51, rate: null, amount: null })
    expect([late.status, deleted.status, gone.status, gone.body.error.code]).toEqual([
      412,
      204,
      404,
      'TIME_ENTRY_NOT_FOUND',
    ])
  })

  it('is the caller’s and billable again where a change says null', async () => {
    const { user } = await firm.colleague()
    const made = await make.makeTime(caseId, { user_id: user.id, billable: false, rate: '60' })

    const changed = await firm.owner('PATCH', `${path}/${made.id}`, {
      body: { user_id: null, billable: null },
    })

    expect([made.user_id, made.billable]).toEqual([user.id, false])
    expect(changed.body).toEqual({
      ...made,
      user_id: firm.ownerUser.id,
      billable: true,
      amount: changed.body.amount,
    })
  })

  it.each([
    [{ minutes: 50, rate: '200' }, '166.67'],
    [{ minutes: 1, rate: '0.30' }, '0.01'],
    [{ minutes: 1, rate: '0.2999' }, '0.00'],
    [{ minutes: 1440, rate: '9999999.9999' }, '240000000.00'],
    [{ minutes: 7 }, null],
    [{ minutes: 7, rate: '100', billable: false }, '0.00'],
    [{ minutes: 7, billable: false }, '0.00'],
    [{ minutes: 7, billable: null, user_id: null, rate: '60' }, '7.00'],
  ])('of %j has the amount %s', async (fields, amount) => {
    expect((await make.makeTime(caseId, { rate: undefined, ...fields })).amount).toBe(amount)
  })

  it.each([
    { case_id: undefined },
    { date: undefined },
    { date: '2026-02-30' },
    { date: '2026-03-16T09:00:00Z' },
    { date: '0999-01-01' },
    { minutes: undefined },
    { minutes: 0 },
    { minutes: 1441 },
    { minutes: 1.5 },
    { minutes: '60' },
    { activity: undefined },
    { activity: ' ' },
    { activity: 'x'.repeat(2_001) },
    { rate: 200 },
    { rate: '-1' },
    { rate: '1,50' },
    { rate: '1e3' },
    { rate: '1.00001' },
    { rate: '01' },
    { rate: '' },
    { rate: '12345678' },
    { billable: 'ja' },
  ])('with %j is refused with 400', async (fields) => {
    const answer = await firm.owner('POST', path, { body: { ...entry, case_id: caseId, ...fields } })

    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('of a case or user that does not exist, or is another firm’s, is refused with 404', async () => {
    const other = await newFirm()
    const foreign = await billing(other).makeCase()
    const codes = async (fields: object) => {
      const { status, body } = await firm.owner('POST', path, {
        body: { ...entry, case_id: caseId, ...fields },
      })
      return [status, body.error.code]
    }

    expect(await codes({ case_id: foreign })).toEqual([404, 'CASE_NOT_FOUND'])
    expect(await codes({ case_id: 'unsinn' })).toEqual([404, 'CASE_NOT_FOUND'])
    expect(await codes({ user_id: other.ownerUser.id })).toEqual([404, 'USER_NOT_FOUND'])
  })
})

describe('the list of time entries', () => {
  it('has every filter, alone and with others, the newest day first, and pages that hold each once', async () => {
    const here = await newFirm()
    const { makeCase, makeTime } = billing(here)
    const colleague = await here.colleague()
    const [one, other] = [await makeCase(), await makeCase()]
    const made: TimeEntry[] = []
    for (let at = 0; at < 12; at += 1)
      made.push(
        await makeTime(at % 3 === 0 ? other : one, {
          date: `2026-03-${String(28 - (at % 6)).padStart(2, '0')}`,
          user_id: at % 2 === 0 ? here.ownerUser.id : colleague.user.id,
          billable: at % 4 !== 0,
        }),
      )
    const listed = async (query: string) => {
      const found = []
      for (let cursor = ''; ; ) {
        const { status, body } = await here.owner('GET', `${path}?limit=2&${query}${cursor}`)
        expect(status).toBe(200)
        found.push(...body.data)
        if (!body.pagination.has_more) return found
        cursor = `&cursor=${body.pagination.cursor}`
      }
    }
    const ordered = (wanted: (entry: (typeof made)[number]) => boolean) =>
      made.filter(wanted).toSorted((a, b) => (`${a.date}${a.id}` < `${b.date}${b.id}` ? 1 : -1))

    const filters: [query: string, wanted: (entry: (typeof made)[number]) => boolean][] = [
      ['', () => true],
      [`case_id=${other}`, (it) => it.case_id === other],
      [`user_id=${here.ownerUser.id}`, (it) => it.user_id === here.ownerUser.id],
      ['billable=false', (it) => !it.billable],
      [`user_id=${colleague.user.id}&billable=true`, (it) => it.user_id === colleague.user.id && it.billable],
      [
        `case_id=${one}&user_id=${colleague.user.id}&billable=true`,
        (it) => it.case_id === one && it.user_id === colleague.user.id && it.billable,
      ],
      ['date_from=2026-03-25', (it) => it.date >= '2026-03-25'],
      ['date_to=2026-03-25', (it) => it.date <= '2026-03-25'],
      ['date_from=2026-03-25&date_to=2026-03-25', (it) => it.date === '2026-03-25'],
      [
        `case_id=${one}&date_from=2026-03-24&date_to=2026-03-26`,
        (it) => it.case_id === one && it.date >= '2026-03-24' && it.date <= '2026-03-26',
      ],
      ['case_id=01993f5e-0000-7000-8000-000000000000', () => false],
    ]
    for (const [query, wanted] of filters)
      expect([query, await listed(query)]).toEqual([query, ordered(wanted)])
  })

  it.each([
    ['case_id=unsinn', 'VALIDATION_ERROR'],
    ['user_id=unsinn', 'VALIDATION_ERROR'],
    ['billable=ja', 'VALIDATION_ERROR'],
    ['date_from=2026-02-30', 'VALIDATION_ERROR'],
    ['date_from=2026-03-02&date_to=2026-03-01', 'INVALID_DATE_RANGE'],
    ['limit=101', 'VALIDATION_ERROR'],
    ['cursor=gefaelscht', 'VALIDATION_ERROR'],
  ])('answers 400 to %s', async (query, code) => {
    const { status, body } = await firm.owner('GET', `${path}?${query}`)

    expect([status, body.error.code]).toEqual([400, code])
  })

  it('has nothing of another firm, and follows a change of the day', async () => {
    const other = await newFirm()
    const { makeCase, makeTime } = billing(other)
    const moved = await makeTime(await makeCase())
    await other.owner('PATCH', `${path}/${moved.id}`, { body: { date: '2026-04-01' } })

    const days = async (query: string) =>
      (await other.owner('GET', `${path}?${query}`)).body.data.map(({ date }: { date: string }) => date)

    expect(await days('')).toEqual(['2026-04-01'])
    expect(await days('date_to=2026-03-31')).toEqual([])
    expect((await firm.owner('GET', `${path}/${moved.id}`)).status).toBe(404)
  })
})
