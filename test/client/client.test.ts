import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { generate } from '#client/generate.ts'
import { serviceDocument } from '#functions/docs/service-document.ts'
import { openapi } from '#http/openapi/document.ts'
import * as toys from '../http/toy-endpoints.ts'
import * as toyService from '../http/toy-service.ts'

const written = new URL('../../packages/client/client.ts', import.meta.url)
const tsc = fileURLToPath(new URL('../../node_modules/typescript-native/bin/tsc', import.meta.url))

const { rateToy, startToySync, receiveToyMail, orderToy, exportToys } = toyService
const described = { ...toys, rateToy, startToySync, receiveToyMail, orderToy, exportToys }

const toyClient = generate(
  openapi(
    Object.entries(described).map(([operation, endpoint]) => ({ operation, endpoint })),
    {
      title: 'Toys',
      version: '1',
      description: '',
      license: { name: '', identifier: '' },
      groups: {},
      vocabulary: { everywhere: {}, inSchema: {} },
    },
  ),
)

/** The one method shape these tests call by name; the real types are checked by the compiler below. */
type Method = ((request?: unknown, options?: unknown) => Promise<unknown>) & {
  all: (request?: unknown) => AsyncGenerator<unknown>
  withEtag: (request?: unknown) => Promise<unknown>
}
type ToyModule = {
  createClient: (options: Record<string, unknown>) => Record<keyof typeof described, Method>
  AktenlageError: new () => Error
}

const folder = mkdtempSync(join(tmpdir(), 'aktenlage-client-'))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, source: string): string => {
  const file = join(folder, name)
  writeFileSync(file, source)
  return file
}

// Its files are ES modules, as in any project that copies the client.
write('package.json', '{"type":"module"}')

/** The output of the compiler for these files, alone in a folder outside the repository. */
const compile = (...files: string[]): string => {
  try {
    const options = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--noEmit',
      '--allowImportingTsExtensions',
      // Each further one would check the library's types again.
      '--checkers',
      '1',
    ]
    const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom', '--types', '']
    return execFileSync(process.execPath, [tsc, ...options, ...target, ...files], {
      cwd: folder,
      encoding: 'utf8',
    })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

describe('the client of this repository', () => {
  const source = readFileSync(written, 'utf8')

  it('is what the declarations give now', () => {
    const isCurrent = source === generate(serviceDocument())

    expect(isCurrent, 'packages/client/client.ts is out of date: run `npm run client`').toBe(true)
  })

  it('has a method for every operation', () => {
    const operations = Object.values(serviceDocument().paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )

    const methods = [...source.matchAll(/^ {4}(\w+): methodOf\(/gm)].map(([, name]) => name)

    expect(methods.toSorted()).toEqual(operations.toSorted())
  })

  it('compiles alone, strictly, outside the repository and imports nothing', () => {
    const file = write('client.ts', source)

    expect(compile(file)).toBe('')
    expect(source).not.toMatch(/^import |\bimport\(|\brequire\(/m)
  })

  it('knows that a list holds records, and that with updated_since some may be deleted', () => {
    write('client.ts', source)
    const problemsOf = (statements: string) =>
      compile(
        write(
          'lists.ts',
          `import { createClient, type DeletedRecord, type Party } from './client.ts'
const client = createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'ak_1' })
${statements}
export type { DeletedRecord, Party }`,
        ),
      )

    const right = problemsOf(`
const list: Party[] = (await client.listParties({ query: { search: 'meier' } })).data
for await (const { name } of client.listParties.all()) name.trim()
const { data, as_of } = await client.listParties({ query: { updated_since: '2026-11-22T10:00:00Z' } })
const since: string = as_of
export const gone = data.flatMap((item) => ('deleted_at' in item ? item.id : []))
export const names = data.flatMap((item) => ('deleted_at' in item ? [] : item.name))
export { list, since }`)
    const wrong = problemsOf(`
const { data } = await client.listParties({ query: { updated_since: '2026-11-22T10:00:00Z' } })
export const names = data.map(({ name }) => name)`)

    expect(right).toBe('')
    expect(wrong).toContain('TS2339')
  })
})

describe('the types of a client', () => {
  const check = (statements: string): string => {
    write('toys.ts', toyClient)
    return compile(
      write(
        'use.ts',
        `import { createClient, type AktenlageError, type CreateToyRequest, type Toy } from './toys.ts'
const client = createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'ak_1' })
${statements}
export type { AktenlageError, CreateToyRequest, Toy }
export { client }`,
      ),
    )
  }

  it('know requests, answers, pages and error codes', () => {
    const problems = check(`
const request: CreateToyRequest = { body: { name: 'Bagger', note: null } }
const made: Toy = await client.createToy(request)
const count: number | undefined = made.parts[0]?.count
const owner: string | undefined = made.owner?.name
for await (const { name } of client.listToys.all({ query: { since: '2026', limit: 10, status: 'broken' } })) name.trim()
const { answer, etag } = await client.getToy.withEtag({ params: { id: made.id } })
await client.updateToy({ params: { id: answer.id }, body: { name: 'Kran' }, ifMatch: etag })
const nothing: undefined = await client.deleteToy({ params: { id: made.id } }, { signal: AbortSignal.timeout(1000) })
await client.whoAmI()
const { stars }: { stars: number } = await client.rateToy({ params: { id: made.id }, body: new URLSearchParams({ stars: '3' }) })
const { status }: { status: 'running' } = await client.startToySync({ params: { id: made.id } })
export const taken = (error: AktenlageError) => error.code === 'FILE_NUMBER_TAKEN'
export { count, owner, nothing, stars, status }`)

    expect(problems).toBe('')
  })

  it('know pages, files, redirects, and credentials that are no API key', () => {
    const problems = check(`
const page: string = await client.getToyPage()
const { filename, bytes } = await client.exportToys({ query: { token: 'secret', rows: '3' } })
const name: string | undefined = filename
const read: Uint8Array = await bytes()
const order = { params: { token: 'secret' }, body: new URLSearchParams({ name: 'Bagger', consent: 'yes' }) }
const { location, cookie }: { location: string | undefined, cookie: string | undefined } = await client.orderToy(order)
const { shop }: { shop: string } = await client.receiveToyMail({ body: new FormData() })
await client.receiveToyMail({ body: new URLSearchParams() })
export { page, name, read, location, cookie, shop }`)

    expect(problems).toBe('')
  })

  it.each([
    ['a missing body', 'client.createToy({})'],
    ['a missing request', 'client.createToy()'],
    ['a missing required parameter', 'client.listToys({ query: {} })'],
    ['a value outside an enum', "client.createToy({ body: { name: 'A', status: 'lost' } })"],
    ['an unknown field', "client.createToy({ body: { name: 'A', colour: 'red' } })"],
    ['an unknown field of an answer', '(await client.whoAmI()).colour'],
    ['pages of what has none', 'client.getToy.all()'],
    ['a missing credential', 'client.exportToys({ query: {} })'],
    ['an unknown field of a file', "(await client.exportToys({ query: { token: 'a' } })).colour"],
    ['another form of an answer that has one', "client.getToy.as('text/csv', { params: { id: '1' } })"],
    ['an unknown error code', "(error: AktenlageError) => error.code === 'NO_SUCH_CODE'"],
  ])('refuse %s', (_what, expression) => {
    expect(check(`export const wrong = ${expression}`)).toMatch(/use\.ts.*error TS/)
  })
})

describe('a client against a server', () => {
  let module: ToyModule
  let baseUrl: string
  let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void
  const seen: {
    method: string | undefined
    url: string | undefined
    headers: IncomingMessage['headers']
    body: string
  }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method, url: request.url, headers: request.headers, body })
    answer(request, response, body)
  })

  const json = (response: ServerResponse, status: number, value: unknown, headers = {}) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value))
  const refuse = (response: ServerResponse, status: number, code: string, headers = {}) =>
    json(response, status, { error: { code, message: 'No.', request_id: 'r-1' } }, headers)
  const client = (options = {}) => module.createClient({ baseUrl, apiKey: 'ak_1', ...options })

  beforeAll(async () => {
    module = (await import(pathToFileURL(write('running.ts', toyClient)).href)) as ToyModule
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())
  afterEach(() => seen.splice(0))

  it('sends method, path, query, key and body as declared, and answers the body', async () => {
    answer = (_request, response) => json(response, 201, { id: '1' })

    const made = await client({ baseUrl: `${baseUrl}/` }).createToy({ body: { name: 'Bagger' } })

    expect(made).toEqual({ id: '1' })
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/api/v1/toys',
        body: '{"name":"Bagger"}',
        headers: { authorization: 'Bearer ak_1', 'content-type': 'application/json' },
      },
    ])
  })

  it('sends a form as it is', async () => {
    answer = (_request, response) => json(response, 201, { stars: 3 })

    await client().rateToy({ params: { id: '1' }, body: new URLSearchParams({ stars: '3' }) })

    expect(seen).toMatchObject([
      { body: 'stars=3', headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' } },
    ])
  })

  it('escapes what goes into a path and refuses what would lead to another one', async () => {
    answer = (_request, response) => json(response, 200, {})

    await client().getToy({ params: { id: 'a/b?c' } })

    expect(seen[0]?.url).toBe('/api/v1/toys/a%2Fb%3Fc')
    for (const id of ['', '.', '..', undefined])
      await expect(client().getToy({ params: { id } })).rejects.toThrow('id is not an id.')
    expect(seen).toHaveLength(1)
  })

  it('answers nothing for 204', async () => {
    answer = (_request, response) => response.writeHead(204).end()

    expect(await client().deleteToy({ params: { id: '1' } })).toBeUndefined()
  })

  it('throws refusals with status, code, request id and details', async () => {
    const details = [{ path: 'body.name', message: 'This is required.' }]
    answer = (_request, response) =>
      json(response, 400, {
        error: { code: 'VALIDATION_ERROR', message: 'See body.name.', request_id: 'r-9', details },
      })

    const error = await client()
      .createToy({ body: {} })
      .catch((caught: unknown) => caught)

    expect(error).toBeInstanceOf(module.AktenlageError)
    expect(error).toMatchObject({
      name: 'AktenlageError',
      status: 400,
      code: 'VALIDATION_ERROR',
      message: 'See body.name.',
      requestId: 'r-9',
      details,
    })
  })

  it('throws an AktenlageError also for an answer that is not from the service', async () => {
    answer = (_request, response) => response.writeHead(502).end('<h1>Bad gateway</h1>')

    await expect(client().whoAmI()).rejects.toMatchObject({
      status: 502,
      code: 'UNEXPECTED_ANSWER',
      details: [],
    })
  })

  it('walks over every item of every page', async () => {
    answer = ({ url }, response) => {
      const cursor = new URL(url ?? '', baseUrl).searchParams.get('cursor')
      const pages: Record<string, unknown> = {
        first: { data: [1, 2], pagination: { cursor: 'empty', has_more: true } },
        empty: { data: [], pagination: { cursor: 'last', has_more: true } },
        last: { data: [3], pagination: { cursor: null, has_more: false } },
      }
      json(response, 200, pages[cursor ?? 'first'])
    }

    const items = []
    const query = { since: '2026', status: undefined }
    for await (const item of client().listToys.all({ query })) items.push(item)

    expect(items).toEqual([1, 2, 3])
    expect(seen.map(({ url }) => url)).toEqual([
      '/api/v1/toys?since=2026',
      '/api/v1/toys?since=2026&cursor=empty',
      '/api/v1/toys?since=2026&cursor=last',
    ])
  })

  it.each([
    'ETag',
    'ETag that a proxy has made weak',
  ])('gives the %s of an answer, to be sent with the change', async (kind) => {
    const sent = kind === 'ETag' ? '"v1"' : 'W/"v1"'
    answer = (_request, response) => json(response, 200, { id: '1' }, { ETag: sent })

    const read = await client().getToy.withEtag({ params: { id: '1' } })
    await client().updateToy({ params: { id: '1' }, ifMatch: '"v1"' })

    expect(read).toEqual({ answer: { id: '1' }, etag: '"v1"' })
    expect(seen[1]?.headers['if-match']).toBe('"v1"')
  })

  it.each([429, 503])('repeats a GET after %i and the wait that the answer asks for', async (status) => {
    answer = (_request, response) =>
      seen.length < 3
        ? refuse(response, status, 'RATE_LIMITED', { 'Retry-After': '0' })
        : json(response, 200, { id: '1' })

    expect(await client().whoAmI()).toEqual({ id: '1' })
    expect(seen).toHaveLength(3)
  })

  it('gives up repeating, and says when the service may be asked again', async () => {
    answer = (_request, response) => refuse(response, 503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '0' })

    await expect(client({ retries: 1 }).whoAmI()).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: 0,
    })
    expect(seen).toHaveLength(2)
  })

  const breakOff = (request: IncomingMessage) => request.socket.destroy()
  const keysSeen = () => seen.map(({ headers }) => headers['idempotency-key'])

  it('repeats a POST whose answer was lost, with the same key, and another POST has another', async () => {
    answer = (request, response) => (seen.length === 1 ? breakOff(request) : json(response, 201, { id: '1' }))

    const made = await client().createToy({ body: { name: 'Bagger' } })
    await client().createToy({ body: { name: 'Kran' } })

    const [first, again, other] = keysSeen()
    expect(made).toEqual({ id: '1' })
    expect(seen).toHaveLength(3)
    expect([first, other]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.not.stringMatching(`${first}`),
    ])
    expect(again).toBe(first)
  })

  it('sends the key that it is given', async () => {
    answer = (_request, response) => json(response, 201, {})

    await client().createToy({ body: {} }, { idempotencyKey: 'mine' })

    expect(keysSeen()).toEqual(['mine'])
  })

  it.each([
    ['DELETE', () => client().deleteToy({ params: { id: '1' } })],
    ['PUT with an ETag', () => client().updateToy({ params: { id: '1' }, ifMatch: '"v1"' })],
  ])('does not repeat a %s of which it is unknown whether it took effect', async (_, change) => {
    answer = (request) => void breakOff(request)
    await expect(change()).rejects.toThrow()
    expect(seen).toHaveLength(1)

    answer = (_request, response) => refuse(response, 503, 'SERVICE_UNAVAILABLE')
    await expect(change()).rejects.toMatchObject({ status: 503, retryAfter: undefined })
    expect(seen).toHaveLength(2)
  })

  it('repeats every method where nothing was changed', async () => {
    answer = (_request, response) =>
      seen.length === 1
        ? refuse(response, 429, 'RATE_LIMITED', { 'Retry-After': '0' })
        : response.writeHead(204).end()

    await client().deleteToy({ params: { id: '1' } })

    expect(seen).toHaveLength(2)
  })

  it('gives up on a network that stays away', async () => {
    answer = (request) => void breakOff(request)

    await expect(client({ retries: 1 }).whoAmI()).rejects.toThrow(TypeError)
    expect(seen).toHaveLength(2)
  })

  it('stops waiting when its signal aborts', async () => {
    answer = (_request, response) => refuse(response, 503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '30' })

    await expect(client().whoAmI({}, { signal: AbortSignal.timeout(200) })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })

  it('uses the fetch it is given', async () => {
    const own = async () => Response.json({ id: 'own' })

    expect(await client({ fetch: own }).whoAmI()).toEqual({ id: 'own' })
    expect(seen).toEqual([])
  })
})
