import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'

/** Answers that are not JSON, and credentials other than API keys. */
let baseUrl: string
let answer: (request: IncomingMessage, response: ServerResponse) => void
const seen: { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers'] }[] =
  []
const server = createServer(async (request, response) => {
  for await (const _ of request);
  seen.push({ method: request.method, url: request.url, headers: request.headers })
  answer(request, response)
})

const client = () => createClient({ baseUrl, apiKey: 'ak_1', retries: 1 })
const document = { params: { id: 'doc_1' } }
const signer = { params: { token: 'secret' } }

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())
afterEach(() => seen.splice(0))

it('gives a file with its name, type and size, and its bytes unchanged', async () => {
  const sent = Buffer.from([0, 255, 13, 10, 128])
  const disposition = `attachment; filename="Vertr_ge.pdf"; filename*=UTF-8''Vertr%C3%A4ge%20%28neu%29.pdf`
  answer = (_request, response) =>
    response
      .writeHead(200, {
        'Content-Type': 'application/pdf',
        'Content-Length': sent.length,
        'Content-Disposition': disposition,
        ETag: '"v1"',
      })
      .end(sent)

  const download = await client().downloadDocument(document)

  expect(download).toMatchObject({
    filename: 'Verträge (neu).pdf',
    type: 'application/pdf',
    size: 5,
    etag: '"v1"',
  })
  expect(Buffer.from(await download.bytes())).toEqual(sent)
})

it.each([
  ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
  ['inline', undefined],
])('reads the name in %s', async (disposition, filename) => {
  answer = (_request, response) => response.writeHead(200, { 'Content-Disposition': disposition }).end('a')

  expect((await client().downloadDocument(document)).filename).toBe(filename)
})

it('gives the first bytes of a file before the last ones are there', async () => {
  let sendRest = () => {}
  answer = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/csv' }).write('first')
    sendRest = () => response.end('last')
  }

  const { stream, size } = await client().executeExport({ params: { id: 'exp_1' } })
  const reader = stream.getReader()
  const first = await reader.read()
  sendRest()
  const last = await reader.read()

  expect(size).toBeUndefined()
  expect([first.value, last.value].map((bytes) => new TextDecoder().decode(bytes))).toEqual(['first', 'last'])
})

it('fails where a file breaks off instead of giving a part of it', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { 'Content-Length': 10 }).write('12345')
    setTimeout(() => response.destroy(), 50)
  }

  const download = await client().downloadDocument(document)

  await expect(download.bytes()).rejects.toThrow(TypeError)
})

it('asks for a part of a file, and for nothing that has not changed', async () => {
  answer = (_request, response) => response.writeHead(206, { 'Content-Range': 'bytes 0-1/5' }).end('ab')
  const part = await client().downloadDocument({ ...document, range: 'bytes=0-1', ifRange: '"v1"' })
  answer = (_request, response) => response.writeHead(304).end()
  const same = client().downloadDocument({ ...document, ifNoneMatch: '"v1"' })

  await expect(same).rejects.toMatchObject({ status: 304, code: 'NOT_MODIFIED' })
  expect([part.contentRange, await part.text()]).toEqual(['bytes 0-1/5', 'ab'])
  expect(seen).toMatchObject([
    { headers: { range: 'bytes=0-1', 'if-range': '"v1"' } },
    { headers: { 'if-none-match': '"v1"' } },
  ])
})

it('throws refusals of files, and would rather read them as JSON than as a page', async () => {
  const error = { code: 'DOCUMENT_NOT_FOUND', message: 'No.', request_id: 'r-1' }
  answer = (_request, response) => response.writeHead(404).end(JSON.stringify({ error }))

  await expect(client().downloadDocument(document)).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' })
  await expect(client().getSignerPage(signer)).rejects.toMatchObject({ requestId: 'r-1' })

  expect(seen.map(({ headers }) => headers.accept)).toEqual(Array(2).fill('application/json, */*;q=0.9'))
})

it('asks for another form of an answer by its media type', async () => {
  answer = (_request, response) => response.writeHead(200, { 'Content-Type': 'text/csv' }).end('a;b')

  const table = await client().getDeadlineRegister.as('text/csv', { query: { date: '2026-03-16' } })

  expect([table.type, await table.text()]).toEqual(['text/csv', 'a;b'])
  expect(seen).toMatchObject([
    { url: '/api/v1/deadlines/register?date=2026-03-16', headers: { accept: 'text/csv' } },
  ])
})

it('shows the credential that is asked for, and the API key to nobody else', async () => {
  answer = (_request, response) => response.writeHead(200).end('{}')
  const { pushDocument, getCalendarFeed, getSignerPage, getHealth, getMe } = client()

  await pushDocument({ params: { tenant_id: 'ws_1' }, xServiceToken: 'hook', body: new FormData() })
  await getCalendarFeed({ query: { token: 'feed' } })
  await getSignerPage(signer, { headers: { 'Accept-Language': 'en' } })
  await getHealth()
  await getMe()

  expect(seen.map(({ headers }) => headers.authorization)).toEqual([
    ...Array(4).fill(undefined),
    'Bearer ak_1',
  ])
  expect(seen).toMatchObject([
    { url: '/webhooks/inbox/ws_1', headers: { 'x-service-token': 'hook' } },
    { url: '/api/v1/calendar/feed.ics?token=feed' },
    { url: '/sign/secret', headers: { 'accept-language': 'en' } },
    {},
    {},
  ])
})

it('says where a form leads to and which cookie it sets, and does not go there by itself', async () => {
  const headers = {
    Location: `${baseUrl}/sign/secret`,
    'Set-Cookie': 'code=4711; Path=/sign/secret; HttpOnly',
  }
  answer = (_request, response) => response.writeHead(303, headers).end()

  const led = await client().enterAccessCode({ ...signer, body: new URLSearchParams({ code: 'Ahorn-27' }) })

  expect(led).toEqual({ location: `${baseUrl}/sign/secret`, cookie: 'code=4711' })
  expect(seen).toHaveLength(1)
})

it('does not repeat a POST that takes no Idempotency-Key where no answer came', async () => {
  answer = (request) => void request.socket.destroy()

  await expect(client().signEnvelope({ ...signer, body: new URLSearchParams() })).rejects.toThrow(TypeError)

  expect(seen).toMatchObject([
    { headers: expect.not.objectContaining({ 'idempotency-key': expect.anything() }) },
  ])
})

it('does not repeat a PUT that may create parties where no answer came, and repeats one that replaces a resource', async () => {
  answer = (request) => void request.socket.destroy()
  const parties = [{ name: 'Anna Weber', role: 'client' }]
  const { replaceCaseParties, updateCase } = client()

  await expect(replaceCaseParties({ params: { id: '1' }, body: { parties } })).rejects.toThrow(TypeError)
  const [once] = [seen.length]
  await expect(updateCase({ params: { id: '1' }, body: { name: 'Weber' } })).rejects.toThrow(TypeError)

  expect([once, seen.length]).toEqual([1, 3])
})
