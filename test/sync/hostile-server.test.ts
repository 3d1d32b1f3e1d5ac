import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterEach, describe, expect, it } from 'vitest'
import { Failure } from '#kernel/failure.ts'
import { caldavCalendar } from '#sync/caldav.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** A server whose answer to a request is made from its path and its Depth. */
async function serving(
  answer: (path: string, depth: string) => string,
  status = 207,
): Promise<{ url: string; requests: () => number }> {
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    requests += 1
    response
      .writeHead(status, { 'Content-Type': 'application/xml; charset=utf-8' })
      .end(answer(request.url ?? '/', String(request.headers.depth)))
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests: () => requests }
}

const calendar = caldavCalendar({ allowPrivate: true })

/** The outcome of connecting, and the longest time for which it blocked everything else. */
async function connecting(url: string): Promise<{ outcome: string; longestPauseMilliseconds: number }> {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const outcome = await calendar.connect(url, { username: 'vogt', password: 'geheim' }).then(
    ({ calendar_url }) => calendar_url,
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  )
  delay.disable()
  return { outcome, longestPauseMilliseconds: delay.max / 1e6 }
}

const multistatus = (content: string) =>
  `<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">${content}</multistatus>`
const repeated = (times: number, piece: (at: number) => string) =>
  Array.from({ length: times }, (_, at) => piece(at)).join('')

/** A server with `count` calendars, each with the usual properties. */
function calendars(count: number) {
  const one = (href: string, prop: string) =>
    `<response><href>${href}</href><propstat><prop>${prop}</prop><status>HTTP/1.1 200 OK</status></propstat></response>\n`
  const home = one(
    '/',
    `<resourcetype><collection/></resourcetype><current-user-principal><href>/</href></current-user-principal>
<C:calendar-home-set><href>/</href></C:calendar-home-set>`,
  )
  const listed = (at: number) =>
    one(
      `/${at}/`,
      `<displayname>Kalender ${at} &amp; mehr</displayname>
<C:calendar-timezone>${'BEGIN:VTIMEZONE&#13;\n'.repeat(20)}</C:calendar-timezone>
<resourcetype><collection/><C:calendar/></resourcetype><sync-token>https://dav.example/${at}</sync-token>
<C:supported-calendar-component-set><C:comp name="VEVENT"/><C:comp name="VTODO"/></C:supported-calendar-component-set>`,
    )
  const reports =
    '<supported-report-set><supported-report><report><C:calendar-query/></report></supported-report></supported-report-set>'
  return (path: string, depth: string) => {
    if (path !== '/') return multistatus(one(path, reports))
    return multistatus(home + (depth === '1' ? repeated(count, listed) : ''))
  }
}

describe('a hostile calendar server', () => {
  it.each([
    ['an answer of nothing but <', '<'.repeat(1_900_000)],
    ['a hundred thousand elements with text between them', multistatus('<a/>x'.repeat(100_000))],
    [
      'twenty thousand elements with different names',
      multistatus(repeated(20_000, (at) => `<a${at}>x</a${at}>`)),
    ],
    ['twenty thousand attributes', multistatus(`<a ${repeated(20_000, (at) => `a${at}="" `)}/>`)],
    ['elements nested a hundred thousand times', multistatus('<a>'.repeat(100_000) + '</a>'.repeat(100_000))],
    ['a hundred thousand character references', multistatus(`<a>${'&amp;'.repeat(100_000)}</a>`)],
    ['names that only some parsers accept', multistatus('<\u{10000}/>'.repeat(50_000))],
    ['a document type', `<!DOCTYPE a [<!ENTITY b "c">]>${multistatus('<a>&b;</a>')}`],
    ['an end that is missing', '<multistatus xmlns="DAV:"><response>'],
  ])('that sends %s is refused, and does not block other requests', async (_, answer) => {
    const { url } = await serving(() => answer)

    const { outcome, longestPauseMilliseconds } = await connecting(url)

    expect(outcome).toBe('SYNC_FAILED')
    expect(longestPauseMilliseconds).toBeLessThan(1_000)
  })

  it('that sends as much as is allowed does not block other requests', async () => {
    const { url } = await serving(() => multistatus(`<a>x</a>${' '.repeat(90)}`.repeat(9_000)))

    expect((await connecting(url)).longestPauseMilliseconds).toBeLessThan(2_000)
  })

  it('that lists 400 calendars gets at most 200 requests', async () => {
    const { url, requests } = await serving(calendars(400))

    const { outcome } = await connecting(url)

    expect(outcome).toBe('SYNC_FAILED')
    expect(requests()).toBeLessThanOrEqual(200)
  })
})

describe('a calendar server', () => {
  it.each([
    ['empty', 201, 'text/xml', ''],
    ['a blank line', 200, 'application/xml; charset=utf-8', '\r\n'],
    ['empty, with a content type of its own', 204, 'application/vnd.example+xml', ''],
    ['not XML', 200, 'text/xml', 'OK'],
    ['half of an element', 200, 'text/xml', '<multistatus xmlns="DAV:"><response>'],
  ])('stores and removes an event if its answer, labelled as XML, is %s', async (_, status, type, body) => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { 'Content-Type': type }).end(body)
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/kalender/`
    const login = { username: 'vogt', password: 'geheim' }

    const stored = await calendar.put(url, login, 'termin.ics', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n')

    expect(stored).toBe(`${url}termin.ics`)
    await expect(calendar.remove(url, login, 'termin.ics')).resolves.toBeUndefined()
  })

  it.each([
    [
      'the status 507 for one resource',
      multistatus('<response><status>HTTP/1.1 507 Insufficient Storage</status></response>'),
    ],
    [
      'the status 423 for one resource',
      multistatus('<response><status>HTTP/1.1 423 Locked</status></response>'),
    ],
    ['a response without a status', multistatus('<response/>')],
  ])('fails to store and to remove an event if its answer has %s', async (_, answer) => {
    const { url } = await serving(() => answer)
    const login = { username: 'vogt', password: 'geheim' }

    const put = calendar.put(url, login, 'termin.ics', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n')

    await expect(put).rejects.toMatchObject({ code: 'SYNC_FAILED' })
    await expect(calendar.remove(url, login, 'termin.ics')).rejects.toMatchObject({ code: 'SYNC_FAILED' })
  })

  it('that answers 409, because the calendar was deleted, is reported with this status and not as unreachable', async () => {
    const { url } = await serving(() => '', 409)
    const login = { username: 'vogt', password: 'geheim' }

    const refused = { code: 'SYNC_FAILED', message: expect.stringContaining('it answered 409.') }
    await expect(calendar.put(url, login, 'termin.ics', 'BEGIN:VCALENDAR')).rejects.toMatchObject(refused)
    await expect(calendar.remove(url, login, 'termin.ics')).rejects.toMatchObject(refused)
  })

  it('with a hundred calendars can be connected', async () => {
    const { url } = await serving(calendars(100))

    expect((await connecting(url)).outcome).toBe(`${url}0/`)
  })
})
