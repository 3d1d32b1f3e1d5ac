import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { allEndpoints, manifest } from '#functions/manifest.ts'
import { isCredential, needsEvery, scopesOf } from '#http/access.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { scopes } from '#kernel/scope.ts'
import { type DeclaredGateway, serveDeclared } from '#test/support/declared-gateway.ts'
import { allFixtures, pathOf } from '#test/support/fixture.ts'
import { shapeOf } from '#test/support/shape-of.ts'

/**
 * Promises of every endpoint that its declaration keeps before any use case runs. No service is needed for them:
 * `test/every-endpoint.test.ts` shows that each function of the service is built from its declarations.
 */
let gateway: DeclaredGateway
beforeAll(async () => {
  gateway = await serveDeclared(manifest.filter(({ endpoints }) => endpoints))
})
afterAll(() => gateway.close())

type Declared = (typeof allEndpoints)[number]

const guarded = allEndpoints.filter(
  ({ endpoint: { access } }) => access !== 'public' && !isCredential(access),
)
const title = (declared: Declared) =>
  [`${declared.operation} (${declared.endpoint.method} ${declared.endpoint.path})`, declared] as const

describe('every endpoint with a key', () => {
  it.each(guarded.map(title))('%s refuses a request without one', async (_, declared) => {
    const { endpoint } = declared
    const answer = await gateway.withoutKey(endpoint.method, pathOf(endpoint))

    expect([answer.status, answer.body.error.code]).toEqual([401, 'AUTH_INVALID_KEY'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each(
    guarded.filter(({ endpoint }) => endpoint.access !== 'any key').map(title),
  )('%s refuses a key that has every scope but the one it needs, and names that one', async (_, declared) => {
    const { endpoint } = declared
    const needed = scopesOf(endpoint.access)
    const enough = needsEvery(endpoint.access) ? needed.map((scope) => [scope]) : [[...needed]]
    for (const lacked of enough) {
      const lacking = gateway.withScopes(scopes.filter((scope) => !lacked.includes(scope)))

      const answer = await lacking(endpoint.method, pathOf(endpoint))

      expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
      expect(answer.body.error.message).toContain(lacked[0])
    }
  })

  it.each(
    guarded.filter(({ endpoint }) => endpoint.body && endpoint.encodings.includes('json')).map(title),
  )('%s refuses a malformed body', async (_, declared) => {
    const { endpoint } = declared
    const caller = gateway.withScopes()
    const send = (raw: string, type: string) =>
      caller(endpoint.method, pathOf(endpoint), { raw, headers: { 'Content-Type': type } })

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
      // Three deadlines, ten rows, or the years and types of a firm at most.
      .filter(
        ({ operation }) => !['getFristChain', 'previewExport', 'getRetentionStatistics'].includes(operation),
      )
      .map(title),
  )('%s is a list by pages', (_, { endpoint }) => {
    expect(Object.keys(shapeOf(endpoint.output) ?? {})).toEqual(
      expect.arrayContaining(['data', 'pagination']),
    )
    expect(Object.keys(shapeOf(endpoint.query) ?? {})).toEqual(expect.arrayContaining(['limit', 'cursor']))
  })

  it.each(
    guarded.filter(({ endpoint }) => shapeOf(endpoint.query)?.limit).map(title),
  )('%s refuses a page of 0 or 101', async (_, declared) => {
    const { endpoint } = declared
    const caller = gateway.withScopes()

    const answers = await Promise.all(
      ['limit=0', 'limit=101'].map((query) => caller(endpoint.method, `${pathOf(endpoint)}?${query}`)),
    )

    expect(answers.map(({ status }) => status)).toEqual([400, 400])
  })

  it.each(
    guarded.map(title),
  )('%s refuses a query parameter that is not declared, and names it', async (_, declared) => {
    const { endpoint } = declared

    const form = new FormData()
    form.append('name', 'A form is read before its address.')
    const answer = await gateway.withScopes()(
      endpoint.method,
      `${pathOf(endpoint)}?limitt=1`,
      endpoint.encodings.includes('form') ? { raw: form } : {},
    )

    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    const [fault] = answer.body.error.details.filter(({ path }: { path: string }) => path === 'query.limitt')
    expect(fault.message).toContain(shapeOf(endpoint.query)?.limit ? 'limit.' : 'unknown')
  })
})

describe('every endpoint that takes a form', () => {
  it.each(
    guarded.filter(({ endpoint }) => endpoint.encodings.includes('form')).map(title),
  )('%s refuses one that is cut off, and what is none', async (_, declared) => {
    const { endpoint } = declared
    const caller = gateway.withScopes()
    const send = (raw: string, type: string) =>
      caller(endpoint.method, pathOf(endpoint), { raw, headers: { 'Content-Type': type } })

    const answers = [
      await send('--x\r\nContent-Dispo', 'multipart/form-data; boundary=x'),
      await send('--x--', 'multipart/form-data'),
      await send('{}', 'application/json'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 415])
  })
})

describe('every declaration', () => {
  it.each(allEndpoints.map(title))('%s has an example that its own schemas take', (_, { endpoint }) => {
    const { example } = endpoint
    if (endpoint.body) expect(() => endpoint.body?.parse(example.body)).not.toThrow()
    if (endpoint.query && example.query) expect(() => endpoint.query?.parse(example.query)).not.toThrow()
    expect(Object.keys(example.params ?? {})).toEqual(Object.keys(endpoint.params))
    if (endpoint.status !== 204 && endpoint.produces === 'application/json' && example.answer !== undefined) {
      expect(endpoint.output?.parse(example.answer)).toEqual(example.answer)
    }
  })

  it('has only fields that a declaration knows: the compiler does not check those of a spread object', () => {
    const declaration = { method: 'GET', path: '/', access: 'public', summary: '' } as const
    const bare = endpointsOf()({ ...declaration, output: z.void(), handle: async () => undefined })
    const known = new Set([...Object.keys(bare), 'encoding'])

    const unknown = allEndpoints.flatMap(({ operation, endpoint }) =>
      Object.keys(endpoint).flatMap((field) => (known.has(field) ? [] : [`${operation}: ${field}`])),
    )

    expect(unknown).toEqual([])
  })

  it('of a path with placeholders or of a credential has a fixture', async () => {
    const fixtures = await allFixtures()
    const needing = allEndpoints.filter(
      ({ endpoint }) => Object.keys(endpoint.params).length > 0 || isCredential(endpoint.access),
    )

    const lacking = needing.filter(({ operation }) => fixtures[operation] === undefined)

    expect(lacking.map(({ operation, function: { entry } }) => `${operation}: ${entry}`)).toEqual([])
  })

  it('is the only one of its method and path', () => {
    const routes = allEndpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)
    expect(new Set(routes).size).toBe(routes.length)
  })
})
