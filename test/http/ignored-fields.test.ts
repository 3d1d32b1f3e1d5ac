import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { ignoredFieldsHeader, ignoredFields as placesOf } from '#http/ignored-fields.ts'
import { nearestTo } from '#http/nearest.ts'
import fc from '#test/support/properties.ts'
import { serveToys, type ToyGateway } from '#test/support/toy-gateway.ts'

const ignoredFields = (...given: Parameters<typeof placesOf>) => placesOf(...given).map(({ path }) => path)

const Part = z.object({ name: z.string(), count: z.int().nullish() })
const Toy = z.object({
  name: z.string().transform((name) => name.trim()),
  owner: z.object({ name: z.string() }).nullable().default(null),
  parts: z.array(Part).optional(),
  made: z.lazy(() => z.object({ by: z.string() })).optional(),
  kind: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('car'), wheels: z.int() }),
      z.object({ type: z.literal('doll'), hair: z.string() }),
    ])
    .optional(),
  note: z.unknown().optional(),
})

describe('the fields of a body that no schema reads', () => {
  it.each([
    [{ name: 'A', colour: 1, size: {} }, ['colour', 'size']],
    [{ name: 'A', owner: { name: 'B', nmae: 1 } }, ['owner.nmae']],
    [{ name: 'A', owner: null, note: { any: 1 } }, []],
    [
      {
        name: 'A',
        parts: [
          { name: 'B', count: null },
          { name: 'C', cuont: 1 },
        ],
      },
      ['parts.1.cuont'],
    ],
    [{ name: 'A', made: { by: 'B', at: 'C' } }, ['made.at']],
    [{ name: 'A', kind: { type: 'car', wheels: 4, hair: 'red' } }, ['kind.hair']],
    [{ name: 'A', parts: { name: 'no list' } }, []],
    [JSON.parse('{"name":"A","__proto__":{"x":1},"constructor":1}'), ['__proto__', 'constructor']],
    ['text', []],
    [null, []],
  ])('of %j are %j', (body, expected) => {
    expect(ignoredFields(Toy, body)).toEqual(expected)
  })

  it('are named by their place if the body is a list, bare or in an object', () => {
    const list = z.array(Part)
    const either = z.union([list, z.object({ parts: list })]).transform((given) => given)

    expect(ignoredFields(either, [{ name: 'A' }, { name: 'B', x: 1 }])).toEqual(['1.x'])
    expect(ignoredFields(either, { parts: [{ name: 'B', x: 1 }], y: 1 })).toEqual(['parts.0.x', 'y'])
  })

  it('are none if the schema accepts any field', () => {
    expect(ignoredFields(z.looseObject({ name: z.string() }), { name: 'A', other: 1 })).toEqual([])
  })
})

describe('the header that lists them', () => {
  it('is one line of ASCII of a bounded length, whatever the names hold', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 120 }), (names) => {
        const body = Object.fromEntries(names.map((name) => [`x${name}`, 1]))

        const value = ignoredFieldsHeader(placesOf(z.object({}), body))

        expect(value).toMatch(/^[\w%-]*(, [\w%-]+)*(, \.\.\.)?$/)
        expect(value.length).toBeLessThanOrEqual(2_005)
      }),
      { numRuns: 30 },
    )
  })

  it('holds at most fifty paths and says that there are more', () => {
    const body = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, 1]))
    const paths = ignoredFieldsHeader(placesOf(z.object({}), body)).split(', ')

    expect([paths.length, paths[0], paths.at(-2), paths.at(-1)]).toEqual([51, 'f0', 'f49', '...'])
  })

  it('stays within the limits of a header for halves of characters', () => {
    expect(ignoredFields(z.object({}), { 'a\ud800': 1, 'ä.b[0]\r\nX: 1': 1 })).toEqual([
      'a%EF%BF%BD',
      '%C3%A4%2Eb%5B0%5D%0D%0AX%3A%201',
    ])
  })
})

describe('the nearest name', () => {
  it.each([
    ['staus', 'status'],
    ['Limit', 'limit'],
    ['case', 'case_id'],
    ['courser', 'cursor'],
    ['statsu', 'status'],
    ['caseId', 'case_id'],
    ['CASE-ID', 'case_id'],
  ])('to %j is %s', (name, nearest) => {
    expect(nearestTo(name, ['limit', 'cursor', 'status', 'case_id'])).toBe(nearest)
  })

  it.each([
    '',
    'offset',
    'x',
    'page_number',
    'sort',
    'q'.repeat(5_000),
  ])('is none to %j: none is near', (name) => {
    expect(nearestTo(name, ['limit', 'cursor', 'status', 'case_id'])).toBeUndefined()
  })

  it('is none if none is known', () => {
    expect(nearestTo('limit', [])).toBeUndefined()
  })
})

const endpoint = endpointsOf<unknown>()
const takeToy = endpoint({
  method: 'POST',
  path: '/api/v1/toys',
  access: 'public',
  summary: 'Take a toy',
  query: z.object({ colour: z.string().optional() }),
  body: Toy,
  output: z.object({}),
  handle: async () => ({}),
})
const takeFiles = endpoint({
  method: 'POST',
  path: '/api/v1/toys/files',
  access: {
    in: 'form',
    names: ['secret'],
    description: 'the secret.',
    verify: async () => ({}),
  },
  summary: 'Take the files of a toy',
  encoding: ['form', 'urlencoded'],
  body: z.object({ name: z.string() }),
  files: { photo: { max: 1, optional: true } },
  output: z.object({}),
  handle: async () => ({}),
})
const windToy = endpoint({
  method: 'POST',
  path: '/api/v1/toys/wind',
  access: 'public',
  summary: 'Wind a toy up',
  output: z.object({}),
  handle: async () => ({}),
})
const dropToy = endpoint({
  method: 'DELETE',
  path: '/api/v1/toys/wind',
  access: 'public',
  summary: 'Drop a toy',
  output: z.void(),
  handle: async () => undefined,
})
const streamToy = endpoint({
  method: 'GET',
  path: '/api/v1/toys/stream',
  access: { in: 'query', name: 'token', description: 'the token.', verify: async () => ({}) },
  summary: 'Stream a toy',
  produces: 'stream',
  types: ['text/plain'],
  handle: async () => ({
    filename: 'a.txt',
    mimeType: 'text/plain',
    open: async () => Readable.from([Buffer.from('toy')]),
  }),
})
const showPage = endpoint({
  method: 'POST',
  path: '/toys/page',
  access: 'public',
  summary: 'Show a page',
  encoding: 'urlencoded',
  query: z.object({ sort: z.string().optional() }),
  body: z.object({ name: z.string() }),
  produces: 'text/html',
  output: z.string(),
  handle: async () => '<p>',
})

describe('a service', () => {
  let gateway: ToyGateway
  beforeAll(async () => {
    gateway = await serveToys({ takeToy, takeFiles, windToy, dropToy, streamToy, showPage }, {})
  })
  afterAll(() => gateway.close())
  beforeEach(() => {
    gateway.log.length = 0
  })

  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(gateway.baseUrl + path, init)
    const text = await response.text()
    return {
      status: response.status,
      ignored: response.headers.get('x-ignored-fields'),
      error: text.startsWith('{"error"') ? JSON.parse(text).error : undefined,
    }
  }
  const post = (path: string, body: unknown) =>
    ask(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    })

  it('reads the rest, lists the fields it did not read, and logs their number but no names', async () => {
    const answer = await post('/api/v1/toys', { name: 'Bagger', nmae: 1, parts: [{ name: 'A', secret: 1 }] })

    expect(answer).toMatchObject({ status: 200, ignored: 'nmae, parts.0.secret' })
    expect(gateway.log).toMatchObject([{ message: 'request', ignored_fields: 2 }])
    expect(JSON.stringify(gateway.log)).not.toMatch(/nmae|secret/)
  })

  it('refuses a long body without a credential before it is read, also if none is expected', async () => {
    const nested = '['.repeat(100_000)

    for (const path of ['/api/v1/toys', '/api/v1/toys/wind'])
      expect(await ask(path, { method: 'POST', body: nested })).toMatchObject({
        status: 413,
        ignored: null,
        error: { code: 'PAYLOAD_TOO_LARGE' },
      })
  })

  it.each([
    ['handling=strict'],
    ['respond-async, Handling = "strict"; wait=10'],
    ['return=minimal,handling=strict,handling=lenient'],
    ['note="a, handling=lenient", handling=strict'],
    ['note="a; b"; c="d, e", handling="strict"'],
  ])('refuses fields it does not read if the caller prefers that: %s', async (preference) => {
    const response = await fetch(`${gateway.baseUrl}/api/v1/toys`, {
      method: 'POST',
      body: JSON.stringify({ name: 'Bagger', nmae: 1, Zorn: 2, parts: [{ name: 'A', cuont: 1 }], owner: 5 }),
      headers: { 'Content-Type': 'application/json', Prefer: preference },
    })

    const { details } = ((await response.json()) as { error: { details: unknown } }).error
    expect(response.status).toBe(400)
    expect(response.headers.get('preference-applied')).toBe('handling=strict')
    expect(response.headers.get('x-ignored-fields')).toBeNull()
    expect(details).toEqual([
      { path: 'body.nmae', message: 'This field is unknown. The nearest known one is name.' },
      {
        path: 'body.Zorn',
        message: 'This field is unknown. Known here: name, owner, parts, made, kind, note.',
      },
      { path: 'body.parts.0.cuont', message: 'This field is unknown. The nearest known one is count.' },
      { path: 'body.owner', message: 'This must be an object.' },
    ])
  })

  it.each([
    ['handling=lenient, handling=strict'],
    ['handling=strictest'],
    ['note="a, handling=strict"'],
    ['strict'],
    ['x-handling=strict'],
  ])('ignores it for another preference: %s', async (preference) => {
    const response = await fetch(`${gateway.baseUrl}/api/v1/toys`, {
      method: 'POST',
      body: JSON.stringify({ name: 'Bagger', nmae: 1 }),
      headers: { 'Content-Type': 'application/json', Prefer: preference },
    })

    expect(response.status).toBe(200)
    expect(response.headers.get('preference-applied')).toBeNull()
    expect(response.headers.get('x-ignored-fields')).toBe('nmae')
  })

  describe('if no body is expected', () => {
    const send = (method: string, body: string | FormData, strict: boolean, type = 'application/json') =>
      ask('/api/v1/toys/wind', {
        method,
        body,
        headers: {
          ...(typeof body === 'string' && { 'Content-Type': type }),
          ...(strict && { Prefer: 'handling=strict' }),
        },
      })

    it.each([
      ['POST', { turns: 3, Bemerkung: { a: 1 } }, 'turns, Bemerkung'],
      ['DELETE', { reason: 'kaputt' }, 'reason'],
      ['POST', { 'größe.x': 1 }, 'gr%C3%B6%C3%9Fe%2Ex'],
      ['POST', {}, null],
    ])('lists every field of a body of %s %j', async (method, body, ignored) => {
      expect((await send(method, JSON.stringify(body), false)).ignored).toBe(ignored)
    })

    it.each([
      ['POST', '{"turns":3}', 'body.turns', 'This field is unknown. None is expected here.'],
      ['DELETE', '{"reason":"x"}', 'body.reason', 'This field is unknown. None is expected here.'],
      ['POST', '[1,2]', 'body', 'No body is expected here.'],
      ['POST', '"text"', 'body', 'No body is expected here.'],
      ['POST', '{"turns"', 'body', expect.stringContaining('line 1')],
    ])('refuses %s %s if the caller is strict', async (method, body, path, message) => {
      const { status, error } = await send(method, body, true)

      expect([status, error.details]).toEqual([400, [{ path, message }]])
    })

    it.each(['', '{}', 'null', ' null '])('takes a body without content, strict or not: %j', async (body) => {
      const answers = await Promise.all([send('POST', body, true), send('POST', body, false)])

      expect(answers.map(({ status, ignored }) => [status, ignored])).toEqual(Array(2).fill([200, null]))
    })

    it('refuses other content only if the caller is strict', async () => {
      const form = new FormData()
      form.append('photo', new Blob(['a']), 'a.png')
      const answers = await Promise.all(
        [false, true].flatMap((strict) => [
          send('POST', form, strict),
          send('POST', 'a=1', strict, 'text/plain'),
        ]),
      )

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 415, 415])
    })
  })

  it.each([
    ['a file', 'phto', new Blob(['a'])],
    ['a file that is called as a field', 'nam', new Blob(['a'])],
    ['a field that is called as a file', 'fotophoto', 'a'],
    ['a field', 'names', 'a'],
  ])('names the most similar field or file: %s', async (_, name, value) => {
    const body = new FormData()
    body.append('name', 'Bagger')
    body.append(name, value)

    const { status, error } = await ask('/api/v1/toys/files', {
      method: 'POST',
      body,
      headers: { Prefer: 'handling=strict' },
    })

    const nearest = name.startsWith('nam') ? 'name' : 'photo'
    expect([status, error.details]).toEqual([
      400,
      [{ path: `body.${name}`, message: `This field is unknown. The nearest known one is ${nearest}.` }],
    ])
  })

  it('says that it was strict if there was nothing to refuse, for forms and JSON', async () => {
    const form = new FormData()
    form.append('name', 'Bagger')
    const answers = await Promise.all([
      fetch(`${gateway.baseUrl}/api/v1/toys/files`, {
        method: 'POST',
        body: form,
        headers: { Prefer: 'handling=strict' },
      }),
      fetch(`${gateway.baseUrl}/api/v1/toys/files`, {
        method: 'POST',
        body: new URLSearchParams({ name: 'A', photo2: 'x' }),
        headers: { Prefer: 'handling=strict' },
      }),
    ])

    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    expect(answers.map(({ headers }) => headers.get('preference-applied'))).toEqual(
      Array(2).fill('handling=strict'),
    )
  })

  it('looks at no more than the first fields that it does not read, however many are sent', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`f${at}`, { deeper: at }]))

    expect(placesOf(z.object({ list: z.array(z.object({})) }), { ...many, list: [many, many] })).toHaveLength(
      51,
    )
  })

  it('has no such header if everything is read', async () => {
    expect(await post('/api/v1/toys', { name: 'Bagger' })).toMatchObject({ status: 200, ignored: null })
    expect(gateway.log[0]).not.toHaveProperty('ignored_fields')
  })

  it('lists it also if the request is refused, so that a typing error is noticed', async () => {
    expect(await post('/api/v1/toys', { nmae: 'Bagger' })).toMatchObject({ status: 400, ignored: 'nmae' })
  })

  it.each([
    ['multipart', () => form()],
    ['urlencoded', () => new URLSearchParams({ name: 'A', secret: 'B', colour: 'red' })],
  ])('lists fields of a form, but not its credential: %s', async (_, body) => {
    const answer = await ask('/api/v1/toys/files', { method: 'POST', body: body() })

    expect(answer).toMatchObject({ status: 200, ignored: 'colour' })
  })

  it('lists files of a form that are not declared', async () => {
    const body = form()
    body.append('photo', new Blob(['a']), 'a.png')
    body.append('phto', new Blob(['a']), 'b.png')

    expect(await ask('/api/v1/toys/files', { method: 'POST', body })).toMatchObject({
      status: 200,
      ignored: 'colour, phto',
    })
  })

  it('refuses a parameter that is unknown and names the nearest known one', async () => {
    const { status, error } = await post('/api/v1/toys?color=red', { name: 'A' })

    expect(status).toBe(400)
    expect(error.message).toContain('query.color')
    expect(error.details).toEqual([
      { path: 'query.color', message: 'This parameter is unknown. The nearest known one is colour.' },
    ])
  })

  it('does not treat a credential as an unknown parameter, and refuses others if it streams', async () => {
    expect((await ask('/api/v1/toys/stream?token=a')).status).toBe(200)
    expect(await ask('/api/v1/toys/stream?token=a&tokn=b')).toMatchObject({
      status: 400,
      error: { details: [{ path: 'query.tokn', message: expect.stringContaining('is token.') }] },
    })
  })

  it('takes everything on pages, to whose addresses mail programs and others add', async () => {
    const answer = await ask('/toys/page?utm_source=mail&fbclid=1', {
      method: 'POST',
      body: new URLSearchParams({ name: 'A', other: 'B' }),
    })

    expect(answer).toMatchObject({ status: 200, ignored: null })
  })

  const form = () => {
    const body = new FormData()
    for (const name of ['name', 'secret', 'colour']) body.append(name, 'A')
    return body
  }
})
