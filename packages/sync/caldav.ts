import { createAccount, createObject, deleteObject, fetchCalendars, makeCalendar, propfind } from 'tsdav'
import type { RemoteCalendar, RemoteLogin } from '#calendar/ports.ts'
import { RefusedAddress } from '#guarded-http/address.ts'
import { type GuardedFetchOptions, guardedFetch } from '#guarded-http/guarded-fetch.ts'
import { Failure, invalid } from '#kernel/failure.ts'
import { xmlBudget } from './xml-budget.ts'

/** The time limit of one operation: of connecting an account, of a push, or of a removal. */
const operationMilliseconds = 15_000

/**
 * The maximum number of requests of one operation, not counting redirects. Connecting an account needs a few, and one
 * more for each calendar that the server lists.
 */
const maxRequests = 200

/** CalDAV calendars (RFC 4791) at addresses that users enter. */
export function caldavCalendar(
  options: Pick<GuardedFetchOptions, 'allowPrivate' | 'resolve'>,
): RemoteCalendar {
  return {
    connect: (url, login) =>
      withGuardedFetch(options, login, async (deps) => ({ calendar_url: await findCalendar(url, deps) })),

    put: (calendarUrl, login, name, icalendar) =>
      withGuardedFetch(options, login, async ({ headers, fetch }) => {
        const url = new URL(name, withSlash(calendarUrl)).href
        // Replaces an existing object without `If-Match`: only our own pushes create objects with this name.
        const response = await createObject({
          url,
          data: icalendar,
          headers: { ...headers, 'content-type': 'text/calendar; charset=utf-8' },
          fetch,
        })
        if (!isSuccess(response))
          throw new RefusedByServer(
            `The calendar server did not store the event: it answered ${response.status}. If the calendar was deleted there or is read-only, connect another one.`,
          )
        return url
      }),

    remove: (calendarUrl, login, name) =>
      withGuardedFetch(options, login, async ({ headers, fetch }) => {
        const url = new URL(name, withSlash(calendarUrl)).href
        const response = await deleteObject({ url, headers, fetch })
        const { status } = response
        if (!isSuccess(response) && status !== 404 && status !== 410)
          throw new RefusedByServer(`The calendar server did not remove the event: it answered ${status}.`)
      }),
  }
}

/** The server answers, but does not do what it is asked. Users see the message of this error. */
class RefusedByServer extends Error {
  override name = 'RefusedByServer'
}

/**
 * Whether the request succeeded. A request writes or removes one object. So the status 207, which reports a result for
 * each resource, means an error here (RFC 4918, 13).
 */
function isSuccess({ ok, status }: { ok: boolean; status: number }): boolean {
  return ok && status !== 207
}

type Deps = { headers: Record<string, string>; fetch: typeof fetch }

/**
 * Runs the work with a guarded fetch, and turns its errors into failures.
 *
 * @throws Failure VALIDATION_ERROR, SYNC_CREDENTIALS_REFUSED, SYNC_FAILED
 */
async function withGuardedFetch<Result>(
  options: Pick<GuardedFetchOptions, 'allowPrivate' | 'resolve'>,
  login: RemoteLogin,
  work: (deps: Deps) => Promise<Result>,
): Promise<Result> {
  const seen = { refusedAddress: false, refusedLogin: false }
  const plain = guardedFetch({ ...options, milliseconds: operationMilliseconds })
  const checkXml = xmlBudget()
  let requests = 0
  const fetch: typeof plain = async (input, init) => {
    try {
      requests += 1
      if (requests > maxRequests) throw new Error('The server lists too many calendars.')
      const response = await plain(input, init)
      if (response.status === 401) seen.refusedLogin = true
      // The answers to PUT and DELETE are not read: their status is enough.
      const isRead = init?.method !== 'PUT' && init?.method !== 'DELETE'
      if (!isRead || !/xml/i.test(response.headers.get('content-type') ?? '')) return response
      const xml = await response.clone().text()
      if (xml.trim() !== '') await checkXml(xml)
      return response
    } catch (error) {
      if (error instanceof RefusedAddress) seen.refusedAddress = true
      throw error
    }
  }
  try {
    return await work({ headers: headersOf(login), fetch })
  } catch (error) {
    if (seen.refusedAddress) throw addressRefused()
    if (seen.refusedLogin) throw credentialsRefused()
    throw new Failure(
      'upstream',
      'SYNC_FAILED',
      error instanceof RefusedByServer
        ? error.message
        : 'The calendar server could not be reached, refused the request, or its answer does not follow CalDAV.',
      { cause: error },
    )
  }
}

/**
 * The calendar at this address. If there is none, the user's first calendar for events below this address, or else the
 * first one on the server. If the user has no calendar for events, a new one.
 */
async function findCalendar(address: string, { headers, fetch }: Deps): Promise<string> {
  const [atAddress] = await propfind({
    url: address,
    props: { 'd:resourcetype': {} },
    depth: '0',
    headers,
    fetch,
  })
  if (atAddress?.status === 401) throw new Error('The login was refused.')
  if (isCalendar(atAddress?.props?.resourcetype)) return withSlash(address)

  const account = await createAccount({
    account: { serverUrl: address, accountType: 'caldav' },
    headers,
    fetch,
  })
  const calendars = await fetchCalendars({ account, headers, fetch })
  const withEvents = calendars.filter(
    ({ components = [] }) => components.length === 0 || components.includes('VEVENT'),
  )
  const belowAddress = withEvents.find(({ url }) => url.startsWith(withSlash(address)))
  const found = belowAddress ?? withEvents[0]
  if (found !== undefined) return withSlash(found.url)

  const url = new URL('aktenlage/', withSlash(account.homeUrl ?? address)).href
  const [made] = await makeCalendar({ url, props: { 'd:displayname': 'Aktenlage' }, headers, fetch })
  if (made !== undefined && !made.ok)
    throw new RefusedByServer(
      `The calendar server has no calendar for events, and created none: it answered ${made.status}.`,
    )
  return url
}

function isCalendar(resourcetype: unknown): boolean {
  return typeof resourcetype === 'object' && resourcetype !== null && 'calendar' in resourcetype
}

function headersOf(login: RemoteLogin): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}` }
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}

function addressRefused(): Failure {
  return invalid('This address is not allowed.', [
    { path: 'body.url', message: 'Enter the https address of a calendar server on the internet.' },
  ])
}

function credentialsRefused(): Failure {
  return new Failure(
    'unprocessable',
    'SYNC_CREDENTIALS_REFUSED',
    'The calendar server refused this user name and password.',
  )
}
