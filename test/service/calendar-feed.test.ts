import ICAL from 'ical.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
beforeEach(async () => {
  firm = await newFirm()
})

const tokens = '/api/v1/calendar/ical-tokens'
const anyone = api(sharedService().baseUrl, undefined)
const subscribe = async (by = firm.owner) => {
  const { body } = await by('POST', tokens)
  const { pathname, search } = new URL(body.url)
  return { id: body.id as string, path: pathname + search, url: body.url as string }
}
/** The day on which the tests begin: midnight may come between what is entered and what is expected. */
const now = systemClock.now()
const inDays = (days: number, hour = 9) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, hour)).toISOString()
const enter = async (body: Record<string, unknown>) =>
  (await firm.owner('POST', '/api/v1/events', { body })).body
const eventsOf = (text: string) =>
  new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((one) => new ICAL.Event(one))

describe('a feed', () => {
  it('holds the events of its user as a calendar program reads them', async () => {
    const { user, api: colleague } = await firm.colleague()
    const timed = await enter({
      title: 'Verhandlung; Saal 3, „Groß“',
      start: inDays(3, 9),
      end: inDays(3, 10),
      location: 'Landgericht München I',
      description: 'Zeile eins\nZeile zwei \\ Ende',
    })
    const allDay = await enter({
      title: 'Urlaub',
      all_day: true,
      start: inDays(5).slice(0, 10),
      end: inDays(6).slice(0, 10),
    })
    await enter({ title: 'Nicht meiner', start: inDays(4, 9), end: inDays(4, 10), attendees: [user.id] })
    await enter({ title: 'Zu lange her', start: inDays(-93, 9), end: inDays(-93, 10) })
    await enter({ title: 'Zu weit weg', start: inDays(740, 9), end: inDays(740, 10) })
    const { path } = await subscribe()

    const { status, headers, body } = await anyone('GET', path)

    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    const [first, second, ...others] = eventsOf(body)
    expect(others).toEqual([])
    expect([first?.summary, first?.location, first?.description]).toEqual([
      'Verhandlung; Saal 3, „Groß“',
      'Landgericht München I',
      'Zeile eins\nZeile zwei \\ Ende',
    ])
    expect([first?.uid, second?.uid]).toEqual([`${timed.id}@aktenlage`, `${allDay.id}@aktenlage`])
    expect(first?.startDate.toJSDate().toISOString()).toBe(inDays(3, 9))
    expect(first?.endDate.toJSDate().toISOString()).toBe(inDays(3, 10))
    expect([second?.startDate.isDate, second?.startDate.toString(), second?.endDate.toString()]).toEqual([
      true,
      inDays(5).slice(0, 10),
      inDays(7).slice(0, 10),
    ])
    const theirs = eventsOf((await anyone('GET', (await subscribe(colleague)).path)).body)
    expect(theirs.map(({ summary }) => summary)).toEqual(['Nicht meiner'])
  })

  it('answers HEAD with what GET would, and no body', async () => {
    await enter({ title: 'Ortstermin mit Ümläuten', start: inDays(9, 9), end: inDays(9, 10) })
    const { id, path } = await subscribe()
    const got = await anyone('GET', path)
    const told = (headers: Headers) =>
      ['content-type', 'content-length', 'cache-control', 'etag'].map((name) => headers.get(name))

    const asked = await anyone('HEAD', path)
    const again = await anyone('HEAD', path, { headers: { 'If-None-Match': got.headers.get('etag') ?? '' } })
    await firm.owner('POST', `${tokens}/${id}/revoke`)
    const over = await fetch(sharedService().baseUrl + path, { method: 'HEAD' })

    expect([asked.status, again.status, over.status]).toEqual([200, 304, 401])
    expect(told(asked.headers)).toEqual(told(got.headers))
    expect([asked.body, await over.text()]).toEqual(['', ''])
  })

  it('answers 304 until something changes; then the sequence is higher under the same UID', async () => {
    const own = await newFirm()
    const start = { start: inDays(3, 9), end: inDays(3, 10) }
    const { id } = (await own.owner('POST', '/api/v1/events', { body: { title: 'Eins', ...start } })).body
    const { path } = await subscribe(own.owner)
    const first = await anyone('GET', path)
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' }

    const again = await anyone('GET', path, { headers })
    await own.owner('PATCH', `/api/v1/events/${id}`, { body: { title: 'Zwei' } })
    const changed = await anyone('GET', path, { headers })
    await own.owner('DELETE', `/api/v1/events/${id}`)
    const empty = await anyone('GET', path)

    expect([again.status, changed.status]).toEqual([304, 200])
    const [before] = eventsOf(first.body)
    const [after] = eventsOf(changed.body)
    expect(after?.uid).toBe(before?.uid)
    expect(after?.sequence).toBeGreaterThan(before?.sequence ?? Number.POSITIVE_INFINITY)
    expect(eventsOf(empty.body)).toEqual([])
  })
})

describe('a deadline in a feed (K10)', () => {
  const enterDeadline = async (by: Firm, body: Record<string, unknown>) =>
    (await by.owner('POST', '/api/v1/deadlines', { body })).body
  const entriesOf = async (path: string) => {
    const calendar = new ICAL.Component(ICAL.parse((await anyone('GET', path)).body))
    return calendar.getAllSubcomponents('vevent').map((component) => ({
      event: new ICAL.Event(component),
      status: component.getFirstPropertyValue('status'),
    }))
  }

  it('names file number and case, and whether it is verified, also after these have changed', async () => {
    const own = await newFirm()
    const colleague = await own.colleague()
    const { body: ofCase } = await own.owner('POST', '/api/v1/cases', {
      body: { name: 'Huber ./. Bau; GmbH' },
    })
    const { id } = await enterDeadline(own, { title: 'Berufung', case_id: ofCase.id, due_at: inDays(30) })
    const { path } = await subscribe(own.owner)

    const [unverified] = await entriesOf(path)
    await colleague.api('POST', `/api/v1/deadlines/${id}/verify`)
    const [verified] = await entriesOf(path)
    await own.owner('PUT', `/api/v1/cases/${ofCase.id}`, { body: { name: 'Huber ./. Hoch, Tief' } })
    const [renamed] = await entriesOf(path)

    expect(ofCase.file_number).toMatch(/\d/)
    expect([unverified?.event.summary, unverified?.event.description, unverified?.status]).toEqual([
      'Frist: Berufung',
      `Akte: ${ofCase.file_number} Huber ./. Bau; GmbH\nVier-Augen-Prinzip: nicht geprüft`,
      'TENTATIVE',
    ])
    expect([verified?.event.description, verified?.status]).toEqual([
      `Akte: ${ofCase.file_number} Huber ./. Bau; GmbH\nVier-Augen-Prinzip: geprüft`,
      'CONFIRMED',
    ])
    expect(renamed?.event.description).toContain(`Akte: ${ofCase.file_number} Huber ./. Hoch, Tief\n`)
  })

  it('is all-day on its date in the zone of the workspace if it is due on a day, otherwise at its time', async () => {
    const own = await newFirm()
    const { body: ofCase } = await own.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })
    await own.owner('PATCH', '/api/v1/workspace', { body: { time_zone: 'America/New_York' } })
    const day = inDays(40).slice(0, 10)
    await enterDeadline(own, { title: 'auf den Tag', case_id: ofCase.id, due_at: day })
    await enterDeadline(own, { title: 'auf die Minute', case_id: ofCase.id, due_at: inDays(50, 11) })
    const { path } = await subscribe(own.owner)

    const entries = await entriesOf(path)

    expect(
      entries.map(({ event: { summary, startDate } }) => [
        summary,
        startDate.isDate,
        startDate.isDate ? startDate.toString() : startDate.toJSDate().toISOString(),
      ]),
    ).toEqual([
      ['Frist: auf den Tag', true, day],
      ['Frist: auf die Minute', false, inDays(50, 11)],
    ])
  })
})

describe('a subscription', () => {
  it('is shown once with its address, and its secret is not stored', async () => {
    const { status, body } = await firm.owner('POST', tokens)

    expect(status).toBe(201)
    expect(body.id).toMatch(/^ical_tok_/)
    expect(body.url).toMatch(/\/api\/v1\/calendar\/feed\.ics\?token=[\w.-]{60,}$/)
    expect(Object.keys(body).toSorted()).toEqual(['created_at', 'id', 'url'])
  })

  it('ends at once when it is revoked; again, it stays as it was', async () => {
    const { id, path } = await subscribe()
    const other = await subscribe()
    const before = await anyone('GET', path)

    const revoked = await firm.owner('POST', `${tokens}/${id}/revoke`)
    const again = await firm.owner('POST', `${tokens}/${id}/revoke`)
    const after = await anyone('GET', path)

    expect([before.status, revoked.status, after.status]).toEqual([200, 200, 401])
    expect(after.body.error.code).toBe('ICAL_TOKEN_INVALID')
    expect(again.body).toEqual(revoked.body)
    expect((await anyone('GET', other.path)).status).toBe(200)
  })

  it('is listed for its user alone, newest first, until it is revoked; the address is not (K10)', async () => {
    const own = await newFirm()
    const colleague = await own.colleague()
    const first = await subscribe(own.owner)
    const second = await subscribe(own.owner)
    const third = await subscribe(own.owner)
    await subscribe(colleague.api)
    await own.owner('POST', `${tokens}/${second.id}/revoke`)

    const { status, body } = await own.owner('GET', tokens)
    const { body: page } = await own.owner('GET', `${tokens}?limit=1`)
    const { body: rest } = await own.owner('GET', `${tokens}?limit=1&cursor=${page.pagination.cursor}`)
    const forbidden = await (await own.withScopes('cases:read'))('GET', tokens)

    expect(status).toBe(200)
    expect(body).toEqual({
      data: [third.id, first.id].map((id) => ({ id, created_at: expect.any(String), last_used_at: null })),
      pagination: { cursor: null, has_more: false },
    })
    expect([...page.data, ...rest.data]).toEqual(body.data)
    expect(rest.pagination.has_more).toBe(false)
    expect(forbidden.status).toBe(403)
  })

  it('says when it was last used, written once an hour at most (K10)', async () => {
    const own = await newFirm()
    const { path } = await subscribe(own.owner)
    const lastUse = async () => (await own.owner('GET', tokens)).body.data[0].last_used_at
    const before = systemClock.now().toISOString()

    await anyone('GET', path.replace(/.{8}$/, 'AAAAAAAA'))
    const refused = await lastUse()
    await anyone('GET', path)
    const first = await lastUse()
    await anyone('GET', path)
    const second = await lastUse()

    expect(refused).toBeNull()
    expect(first >= before && first <= systemClock.now().toISOString()).toBe(true)
    expect(second).toBe(first)
  })

  it('ends with its user', async () => {
    const { user, api: colleague } = await firm.colleague()
    const { path } = await subscribe(colleague)

    await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active: false } })

    expect((await anyone('GET', path)).body.error.code).toBe('ICAL_TOKEN_INVALID')
  })

  it('opens nothing once its user holds no key that may read the calendar, and again with the next one', async () => {
    const { user, api: colleague, keyId } = await firm.colleague()
    const { path } = await subscribe(colleague)
    const addKey = (...scopes: string[]) =>
      firm.owner('POST', '/api/v1/api-keys', { body: { user_id: user.id, name: 'Zweiter', scopes } })
    await addKey('calendar:write', 'deadlines:read')

    await firm.owner('DELETE', `/api/v1/api-keys/${keyId}`)
    const without = await anyone('GET', path)
    await addKey('calendar:read')

    expect([without.status, without.body.error.code]).toEqual([401, 'ICAL_TOKEN_INVALID'])
    expect((await anyone('GET', path)).status).toBe(200)
  })

  it.each([
    ['calendar:write'],
    ['calendar:read'],
  ] as const)('is not for a key with %s alone to make', async (scope) => {
    const answer = await (await firm.withScopes(scope))('POST', tokens)

    expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
  })

  it('is not found by another workspace, nor one that nobody made', async () => {
    const stranger = await newFirm()
    const { id } = await subscribe()

    const answers = await Promise.all([
      stranger.owner('POST', `${tokens}/${id}/revoke`),
      firm.owner('POST', `${tokens}/unknown/revoke`),
    ])

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(2).fill([404, 'ICAL_TOKEN_NOT_FOUND']),
    )
  })

  it.each([
    ['no token', () => ''],
    ['an empty one', () => '?token='],
    ['nonsense', () => '?token=abc.def.ghi'],
    ['one of thousands of characters', () => `?token=${'a'.repeat(5_000)}`],
    ['an id alone', (token: string) => `?token=${token.split('.')[0]}`],
    ['another secret', (token: string) => `?token=${token.split('.')[0]}.${'A'.repeat(43)}`],
    ['another id', (token: string) => `?token=01993f63-1c2d-7e4f-8a5b-6c7d8e9f0a1b.${token.split('.')[1]}`],
  ])('with %s is 401', async (_, query) => {
    const { url } = await subscribe()
    const token = new URL(url).searchParams.get('token') ?? ''

    const { status, body } = await anyone('GET', `/api/v1/calendar/feed.ics${query(token)}`)

    expect([status, body.error.code]).toEqual([401, 'ICAL_TOKEN_INVALID'])
    expect(JSON.stringify(body)).not.toContain(token.split('.')[1])
  })
})
