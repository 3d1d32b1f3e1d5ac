import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceDocument } from '#functions/docs/service-document.ts'
import { allEndpoints } from '#functions/manifest.ts'
import { isCredential, scopesOf } from '#http/access.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { scopes } from '#kernel/scope.ts'
import { api, type Send } from '#test/support/api.ts'
import { describeCredentials } from '#test/support/credential-suite.ts'
import { documented } from '#test/support/documented.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { allFixtures, given, type Prepared, pathOf, pathWithQuery, sendOf } from '#test/support/fixture.ts'
import { shapeOf } from '#test/support/shape-of.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'

/**
 * Promises of every endpoint that follow from its declaration, and need the whole service.
 * `test/http/every-declaration.test.ts` has the promises that the declaration keeps alone.
 */
let firm: Firm
let stranger: Firm
let erasing: Firm
let caldav: Awaited<ReturnType<typeof startToyCaldav>>
const fixtures = await allFixtures()
beforeAll(async () => {
  ;[firm, stranger, erasing, caldav] = await Promise.all([newFirm(), newFirm(), newFirm(), startToyCaldav()])
})
afterAll(() => caldav.stop())

const { answerFaults } = documented(serviceDocument())

type Declared = (typeof allEndpoints)[number]

const isGuarded = ({ endpoint: { access } }: Declared) => access !== 'public' && !isCredential(access)
const guarded = allEndpoints.filter(isGuarded)
const withCredential = allEndpoints.filter(({ endpoint }) => isCredential(endpoint.access))
const open = allEndpoints.filter(({ endpoint }) => endpoint.access === 'public')
const title = (declared: Declared) =>
  [`${declared.operation} (${declared.endpoint.method} ${declared.endpoint.path})`, declared] as const

/** Makes in a workspace what the request of the endpoint's example needs. */
const prepare = async ({ operation }: Declared, of: Firm = firm): Promise<Prepared> =>
  (await fixtures[operation]?.(given(of, caldav.url))) ?? {}

const keptOfFirm = new Map<unknown, Map<unknown, Promise<Prepared>>>()

/** What `kept` has under this name; otherwise makes it, and keeps it. */
const once = <Made>(kept: Map<unknown, Made>, name: unknown, make: () => Made): Made => {
  const made = kept.get(name) ?? make()
  kept.set(name, made)
  return made
}

/** The same, made once for all tests that change nothing of it, whatever endpoint they ask. */
const prepareOnce = (declared: Declared, of: Firm = firm): Promise<Prepared> =>
  once(
    once(keptOfFirm, of, () => new Map()),
    fixtures[declared.operation],
    () => prepare(declared, of),
  )

/** The firm of an example. An erasure has its own, because it removes reports and export files that other examples read. */
const firmOf = ({ operation }: Declared): Firm => (operation === 'eraseParty' ? erasing : firm)

/** The input of an endpoint for its example: a GET leaves it as it is. */
const prepareExample = (declared: Declared): Promise<Prepared> =>
  declared.endpoint.method === 'GET' ? prepareOnce(declared) : prepare(declared, firmOf(declared))

describe('every function with endpoints for holders of a key', () => {
  const withScope = guarded.filter(({ endpoint }) => endpoint.access !== 'any key')
  const ofFunctions = new Map(withScope.map(({ endpoint, function: { name } }) => [name, endpoint]))

  it.each([
    ...ofFunctions,
  ])('%s refuses a request without a key, and a key without the scope', async (_, endpoint) => {
    const withoutKey = await api(firm.baseUrl, undefined)(endpoint.method, pathOf(endpoint))
    const lacking = await firm.withScopes(
      ...scopes.filter((scope) => !scopesOf(endpoint.access).includes(scope)),
    )
    const withoutScope = await lacking(endpoint.method, pathOf(endpoint))

    expect([withoutKey.status, withoutKey.body.error.code]).toEqual([401, 'AUTH_INVALID_KEY'])
    expect([withoutScope.status, withoutScope.body.error.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
  })
})

describe('every endpoint with a key', () => {
  it.each(
    guarded.filter(({ endpoint }) => shapeOf(endpoint.query)?.limit).map(title),
  )('%s refuses a forged cursor', async (_, declared) => {
    const path = pathOf(declared.endpoint, await prepareOnce(declared))

    const answer = await firm.owner(declared.endpoint.method, `${path}?cursor=Zm9yZ2Vk`)

    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it.each(
    guarded
      // A day belongs to no workspace.
      .filter(({ endpoint }) => Object.keys(endpoint.params).some((name) => name !== 'date'))
      .map(title),
  )('%s treats what belongs to another workspace like what is not there', async (_, declared) => {
    const { endpoint } = declared
    const ours = await prepareOnce(declared)
    const takesBody = endpoint.body !== undefined || Object.keys(endpoint.files).length > 0
    const send = takesBody ? sendOf(endpoint, await prepareOnce(declared, stranger)) : {}
    const ask = (path: string) => stranger.owner(endpoint.method, path, send)

    const foreign = await ask(pathOf(endpoint, ours))
    const missing = await ask(pathOf(endpoint))

    expect([foreign.status, foreign.body.error.code, foreign.body.error.message]).toEqual([
      404,
      missing.body.error.code,
      missing.body.error.message,
    ])
  })

  it.each(
    guarded.map(title),
  )('%s answers its example as declared, and names the one field of the body that it does not read', async (_, declared) => {
    const { endpoint } = declared
    const prepared = await prepareExample(declared)
    const example = sendOf(endpoint, prepared)
    const takesFields = isObject(endpoint.example.body)

    const answer = await firmOf(declared).owner(
      endpoint.method,
      pathWithQuery(endpoint, prepared),
      takesFields ? withField(example) : example,
    )

    expect([answer.status, answer.body?.error ?? undefined]).toEqual([endpoint.status, undefined])
    // The example itself says nothing in vain.
    expect(answer.headers.get('x-ignored-fields')).toBe(takesFields ? 'unheard_of' : null)
    expect(answerFaults(declared.operation, answer.status, answer.body)).toEqual([])
  })
})

describe('every endpoint with a credential of its own', () => {
  describeCredentials(
    withCredential.map((declared) => ({
      ...declared,
      prepareOwn: () => prepareExample(declared),
      prepareRefused: () => prepareOnce(declared),
      prepareForeign: () => prepareOnce(declared, stranger),
      ask: async (method, path, send) => {
        const { status, headers, body } = await api(firm.baseUrl, undefined)(method, path, send)
        // A redirect shows nothing but where it leads.
        return { status, body: headers.get('location') ?? body }
      },
      apiKey: async () => ({ Authorization: `Bearer ${(await firm.colleague()).key}` }),
    })),
  )
})

describe('every endpoint with an ETag', () => {
  const tagged = allEndpoints.filter(({ endpoint }) => endpoint.etag)

  it.each(
    tagged.filter(({ endpoint }) => ['PUT', 'PATCH', 'DELETE'].includes(endpoint.method)).map(title),
  )('%s changes nothing where somebody else was faster', async (_, declared) => {
    const { endpoint } = declared
    // Prepare
    const prepared = await prepareOnce(declared)
    const path = pathOf(endpoint, prepared)
    const before = await firm.owner('GET', path)

    // Act
    const answer = await firm.owner(endpoint.method, path, {
      ...sendOf(endpoint, prepared),
      headers: { 'If-Match': '"something-else"' },
    })

    // Assess
    expect([answer.status, answer.body.error.code]).toEqual([412, 'PRECONDITION_FAILED'])
    const after = await firm.owner('GET', path)
    expect([after.status, after.body]).toEqual([200, before.body])
  })

  it.each(
    tagged.filter(({ endpoint }) => endpoint.method === 'GET').map(title),
  )('%s answers 304 without a body to who has that state already', async (_, declared) => {
    const { endpoint } = declared
    const prepared = await prepareOnce(declared)
    const path = pathWithQuery(endpoint, { ...prepared, query: queryCredential(endpoint, prepared) })
    const etag = (await firm.owner('GET', path)).headers.get('etag') ?? ''

    const same = await firm.owner('GET', path, { headers: { 'If-None-Match': etag } })
    const other = await firm.owner('GET', path, { headers: { 'If-None-Match': '"something-else"' } })

    expect(etag).toMatch(/^"[^"]+"$/)
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, '', etag])
    expect(other.status).toBe(200)
  })
})

describe('every public endpoint', () => {
  it.each(open.map(title))('%s answers without a key', async (_, declared) => {
    const { endpoint } = declared
    const prepared = await prepare(declared)

    const answer = await api(firm.baseUrl, undefined)(
      endpoint.method,
      pathOf(endpoint, prepared),
      sendOf(endpoint, prepared),
    )

    expect(answer.status).toBe(endpoint.status)
  })
})

function queryCredential({ access }: Endpoint<never>, { credential }: Prepared): Record<string, string> {
  if (!isCredential(access) || access.in !== 'query' || typeof credential !== 'string') return {}
  return { [access.name]: credential }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withField({ body, raw }: Send): Send {
  if (isObject(body)) return { body: { ...body, unheard_of: 1 } }
  if (!(raw instanceof FormData || raw instanceof URLSearchParams)) throw new Error('This is no form.')
  raw.append('unheard_of', '1')
  return { raw }
}
