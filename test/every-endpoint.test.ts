import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { allEndpoints } from '#functions/manifest.ts'
import { isCredential } from '#http/access.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { type Scope, scopes } from '#kernel/scope.ts'
import { api, type Send } from '#test/support/api.ts'
import { form, upload } from '#test/support/documents.ts'
import { newOffice, type Office } from '#test/support/office.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'

/** What every endpoint promises because of its declaration alone. */
let office: Office
let stranger: Office
let caldav: Awaited<ReturnType<typeof startToyCaldav>>
beforeAll(async () => {
  ;[office, stranger, caldav] = await Promise.all([newOffice(), newOffice(), startToyCaldav()])
})
afterAll(() => caldav.stop())

const guarded = allEndpoints.filter(
  ({ endpoint }) => endpoint.access !== 'public' && !isCredential(endpoint.access),
)
const withToken = allEndpoints.filter(({ endpoint }) => isCredential(endpoint.access))
const open = allEndpoints.filter(({ endpoint }) => endpoint.access === 'public')
const title = ({ operation, endpoint }: (typeof allEndpoints)[number]) =>
  [`${operation} (${endpoint.method} ${endpoint.path})`, endpoint] as const

describe('every endpoint with a key', () => {
  it.each(guarded.map(title))('%s refuses a request without one', async (_, endpoint) => {
    const answer = await api(office.baseUrl, undefined)(endpoint.method, pathOf(endpoint, {}))

    expect([answer.status, answer.body.error.code]).toEqual([401, 'AUTH_INVALID_KEY'])
  })

  it.each(
    guarded.filter(({ endpoint }) => endpoint.access !== 'any key').map(title),
  )('%s refuses a key that has every scope but the one it needs, and names that one', async (_, endpoint) => {
    const needed = [endpoint.access].flat() as Scope[]
    const lacking = await office.withScopes(...scopes.filter((scope) => !needed.includes(scope)))

    const answer = await lacking(endpoint.method, pathOf(endpoint, {}))

    expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect(answer.body.error.message).toContain(needed[0])
  })

  it.each(
    guarded.filter(({ endpoint }) => endpoint.body && endpoint.encodings.includes('json')).map(title),
  )('%s refuses a malformed body', async (_, endpoint) => {
    const send = (raw: string, type: string) =>
      office.owner(endpoint.method, pathOf(endpoint, {}), { raw, headers: { 'Content-Type': type } })

    const [cutOff, noObject, xml] = await Promise.all([
      send('{"', 'application/json'),
      send('"text"', 'application/json'),
      send('<a/>', 'application/xml'),
    ])

    expect([cutOff.status, noObject.status, xml.status]).toEqual([400, 400, 415])
  })

  it.each(
    guarded
      .filter(({ endpoint }) => endpoint.method === 'GET' && shapeOf(endpoint.output)?.data)
      // Three deadlines at most, in the form that the specification gives them.
      .filter(({ operation }) => operation !== 'getFristChain')
      .map(title),
  )('%s is a list by pages', (_, endpoint) => {
    expect(Object.keys(shapeOf(endpoint.output) ?? {})).toEqual(
      expect.arrayContaining(['data', 'pagination']),
    )
    expect(Object.keys(shapeOf(endpoint.query) ?? {})).toEqual(expect.arrayContaining(['limit', 'cursor']))
  })

  it.each(
    guarded.filter(({ endpoint }) => shapeOf(endpoint.query)?.limit).map(title),
  )('%s refuses a page of 0 or 101 and a forged cursor', async (_, endpoint) => {
    const path = pathOf(endpoint, await fixtureOf(office, endpoint))
    const answers = await Promise.all(
      ['limit=0', 'limit=101', 'cursor=Zm9yZ2Vk'].map((query) =>
        office.owner(endpoint.method, `${path}?${query}`),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
  })

  it.each(
    guarded.filter(({ endpoint }) => Object.keys(endpoint.params).length > 0).map(title),
  )('%s treats what belongs to another workspace like what is not there', async (_, endpoint) => {
    const ids = await fixtureOf(office, endpoint)
    const body = filled(endpoint.example.body, await fixtureOf(stranger, endpoint))
    const send = sendOf(endpoint, body)

    const foreign = await stranger.owner(endpoint.method, pathOf(endpoint, ids), send)
    const missing = await stranger.owner(endpoint.method, pathOf(endpoint, {}), send)

    expect([foreign.status, foreign.body.error.code, foreign.body.error.message]).toEqual([
      404,
      missing.body.error.code,
      missing.body.error.message,
    ])
  })

  it.each(guarded.map(title))('%s answers its example as declared', async (_, endpoint) => {
    const ids = await fixtureOf(office, endpoint)
    const body = filled(endpoint.example.body, ids)
    const query = new URLSearchParams(
      filled(endpoint.example.query, ids) as Record<string, string> | undefined,
    )

    const answer = await office.owner(
      endpoint.method,
      `${pathOf(endpoint, ids)}?${query}`,
      sendOf(endpoint, body),
    )

    expect([answer.status, answer.body?.error]).toEqual([endpoint.status, undefined])
  })
})

describe('every endpoint that takes a form', () => {
  it.each(
    guarded.filter(({ endpoint }) => endpoint.encodings.includes('form')).map(title),
  )('%s refuses one that is cut off, and what is none', async (_, endpoint) => {
    const send = (raw: string, type: string) =>
      office.owner(endpoint.method, pathOf(endpoint, {}), { raw, headers: { 'Content-Type': type } })

    const answers = [
      await send('--x\r\nContent-Dispo', 'multipart/form-data; boundary=x'),
      await send('--x--', 'multipart/form-data'),
      await send('{}', 'application/json'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 415])
  })
})

describe('every endpoint with a token of its own', () => {
  it.each(withToken.map(title))('%s opens neither without it nor to an API key', async (_, endpoint) => {
    const path = pathOf(endpoint, { tenant_id: office.workspace.id })

    const answers = [
      await api(office.baseUrl, undefined)(endpoint.method, path),
      await office.owner(endpoint.method, path),
    ]

    expect(answers.map(({ status }) => status)).toEqual([401, 401])
  })
})

describe('every endpoint with an ETag', () => {
  const tagged = allEndpoints.filter(({ endpoint }) => endpoint.etag)

  it.each(
    tagged.filter(({ endpoint }) => ['PUT', 'PATCH', 'DELETE'].includes(endpoint.method)).map(title),
  )('%s changes nothing where somebody else was faster', async (_, endpoint) => {
    // Prepare
    const ids = await fixtureOf(office, endpoint)
    const path = pathOf(endpoint, ids)
    const body = filled(endpoint.example.body, ids)
    const before = await office.owner('GET', path)

    // Act
    const answer = await office.owner(endpoint.method, path, {
      headers: { 'If-Match': '"something-else"' },
      ...(body !== undefined && { body }),
    })

    // Assess
    expect([answer.status, answer.body.error.code]).toEqual([412, 'PRECONDITION_FAILED'])
    const after = await office.owner('GET', path)
    expect([after.status, after.body]).toEqual([200, before.body])
  })

  it.each(
    tagged.filter(({ endpoint }) => endpoint.method === 'GET').map(title),
  )('%s answers 304 without a body to who has that state already', async (_, endpoint) => {
    const path = pathOf(endpoint, await fixtureOf(office, endpoint))
    const etag = (await office.owner('GET', path)).headers.get('etag') ?? ''

    const same = await office.owner('GET', path, { headers: { 'If-None-Match': etag } })
    const other = await office.owner('GET', path, { headers: { 'If-None-Match': '"something-else"' } })

    expect(etag).toMatch(/^"[^"]+"$/)
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, '', etag])
    expect(other.status).toBe(200)
  })
})

describe('every public endpoint', () => {
  it.each(open.map(title))('%s answers without a key', async (_, endpoint) => {
    const path = pathOf(endpoint, await fixtureOf(office, endpoint))

    const answer = await api(office.baseUrl, undefined)(endpoint.method, path)

    expect(answer.status).toBe(endpoint.status)
  })
})

describe('every declaration', () => {
  it.each(allEndpoints.map(title))('%s has an example that its own schemas take', (_, endpoint) => {
    const { example } = endpoint
    if (endpoint.body) expect(() => endpoint.body?.parse(example.body)).not.toThrow()
    if (endpoint.query && example.query) expect(() => endpoint.query?.parse(example.query)).not.toThrow()
    expect(Object.keys(example.params ?? {})).toEqual(Object.keys(endpoint.params))
    if (endpoint.status !== 204 && endpoint.produces === 'application/json' && example.answer !== undefined) {
      expect(endpoint.output?.parse(example.answer)).toEqual(example.answer)
    }
  })

  it('is the only one of its method and path', () => {
    const routes = allEndpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)
    expect(new Set(routes).size).toBe(routes.length)
  })
})

type Ids = Record<string, string>

const missing = '01993f5e-0000-7000-8000-000000000000'

/** The endpoint's path with ids of the fixture, or of nothing. */
function pathOf(endpoint: Endpoint<never>, ids: Ids): string {
  const path = endpoint.path.replace(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? missing)
  return ids.token === undefined ? path : `${path}?token=${ids.token}`
}

/** Things of the office for the endpoint to work on: an id per placeholder, and by prefix for the example's bodies. */
async function fixtureOf({ owner, ownerUser, colleague }: Office, endpoint: Endpoint<never>): Promise<Ids> {
  const create = async (path: string, body: unknown) => (await owner('POST', path, { body })).body
  const [one, other] = [
    await create('/api/v1/cases', { name: 'Eine' }),
    await create('/api/v1/cases', { name: 'Andere' }),
  ]
  const party = await create('/api/v1/parties', { name: 'Anna Meier' })
  const ids: Ids = { case: one.id, otherCase: other.id, pty_: party.id, usr_: ownerUser.id }
  if (/^\/api\/v1\/(documents|folders|inbox)/.test(endpoint.path)) {
    ids.doc_ = (await upload(owner)).body.id
    ids.fld_ = (await create('/api/v1/folders', { name: 'Ordner' })).id
    ids.id = (endpoint.path.startsWith('/api/v1/folders') ? ids.fld_ : ids.doc_) ?? ''
  }
  if (endpoint.path.startsWith('/api/v1/cases/{id}')) ids.id = one.id
  if (endpoint.path.startsWith('/api/v1/parties/{id}')) ids.id = party.id
  if (endpoint.path.startsWith('/api/v1/users/{id}'))
    ids.id = (await create('/api/v1/users', { name: 'Neu', email: 'neu@example.de' })).id
  if (endpoint.path.startsWith('/api/v1/api-keys/{id}')) {
    ids.id = (
      await create('/api/v1/api-keys', { user_id: ownerUser.id, name: 'Neu', scopes: ['cases:read'] })
    ).id
  }
  if (/\/(deadlines|fristen)\/\{id\}/.test(endpoint.path)) {
    // Entered by somebody else, so that the owner may verify it.
    const body = { title: 'Berufung', case_id: one.id, due_at: '2031-04-16' }
    ids.id = (await (await colleague()).api('POST', '/api/v1/deadlines', { body })).body.id
  }
  if (/\/events\/\{\w+\}/.test(endpoint.path)) {
    const times = { start: '2031-04-16T09:00:00Z', end: '2031-04-16T10:00:00Z', allow_conflict: true }
    ids.id = ids.event_id = (await create('/api/v1/events', { title: 'Termin', ...times })).id
  }
  if (endpoint.path.endsWith('/feed.ics')) {
    const { url } = await create('/api/v1/calendar/ical-tokens', undefined)
    ids.token = new URL(url).searchParams.get('token') ?? ''
  }
  if (endpoint.path.includes('/ical-tokens/{id}'))
    ids.id = (await create('/api/v1/calendar/ical-tokens', undefined)).id
  if (endpoint.path.startsWith('/api/v1/calendar/sync/')) {
    const login = { provider: 'caldav', url: caldav.url, username: 'vogt', password: 'geheim' }
    const account = await create('/api/v1/calendar/sync/accounts', login)
    if (endpoint.path.includes('/accounts/')) ids.id = account.id
  }
  if (endpoint.path.includes('{link_id}'))
    ids.link_id = (await create(`/api/v1/cases/${one.id}/links`, { case_id: other.id })).id
  return ids
}

/** The body as the endpoint takes it: JSON, or a form with a file under each declared name. */
function sendOf(endpoint: Endpoint<never>, body: unknown): Send {
  if (endpoint.encodings.includes('json')) return body === undefined ? {} : { body }
  const files = Object.fromEntries(Object.keys(endpoint.files).map((name) => [name, { bytes: 'Ein Text.' }]))
  return { raw: form(files, body as Record<string, string | string[]> | undefined) }
}

/** An example's value with ids of the fixture in the place of those it shows. */
function filled(example: unknown, ids: Ids): unknown {
  if (example === undefined) return undefined
  return JSON.parse(
    JSON.stringify(example)
      .replace(/(pty_|usr_|doc_|fld_)[0-9a-f-]{36}/g, (id, prefix: string) => ids[prefix] ?? id)
      .replace(/"case_id":"[0-9a-f-]{36}"/g, `"case_id":"${ids.otherCase}"`)
      .replace('https://calendar.example.de/dav/', caldav.url),
  )
}

function shapeOf(schema: z.ZodType | undefined): Record<string, unknown> | undefined {
  return schema instanceof z.ZodObject ? schema.shape : undefined
}
