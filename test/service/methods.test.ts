import { request } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let caseId: string
let apiKey: string
beforeAll(async () => {
  firm = await newFirm()
  apiKey = (await firm.colleague()).key
  caseId = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Ziel' } })).body.id
})

describe('a method that a path does not have', () => {
  it.each([
    ['DELETE', '/api/v1/health', 'GET, HEAD'],
    ['PATCH', '/api/v1/cases', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/cases', 'GET, HEAD, POST'],
    ['GET', '/api/v1/conflict-check', 'POST'],
    ['DELETE', '/api/v1/deadlines/unverified', 'GET, HEAD'],
    ['PUT', '/docs', 'GET, HEAD'],
    ['HEAD', '/api/v1/email/outbound/send', 'POST'],
    ['POST', '/', 'GET, HEAD'],
    ['PROPFIND', '/api/v1/cases', 'GET, HEAD, POST'],
    ['REPORT', '/api/v1/calendar/events', 'GET, HEAD, POST'],
    ['MKCOL', '/docs/', 'GET, HEAD'],
    ['QUERY', '/api/v1/deadlines/evt_1', 'DELETE, GET, HEAD, PATCH'],
    ['SEARCH', '/api/v1/openapi.json', 'GET, HEAD'],
  ])('is 405 with the methods that it has: %s %s', async (method, path, allow) => {
    const answer = await fetch(firm.baseUrl + path, { method })

    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
    expect(answer.headers.get('x-request-id')).not.toBeNull()
    if (method !== 'HEAD')
      expect(await answer.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } })
  })

  it('is 404 at a path that is not there', async () => {
    const answer = await fetch(`${firm.baseUrl}/api/v1/nothing`, { method: 'POST' })

    expect([answer.status, answer.headers.get('allow')]).toEqual([404, null])
  })

  it('is a page if people see the path', async () => {
    const answer = await fetch(`${firm.baseUrl}/verify`, {
      method: 'DELETE',
      headers: { Accept: 'text/html' },
    })

    expect(answer.status).toBe(405)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
  })
})

describe('a condition', () => {
  const path = () => `${firm.baseUrl}/api/v1/cases/${caseId}`

  /** Sends the case's name, and each of these tags on a line of its own. `fetch` would join the lines. */
  async function send(method: 'GET' | 'PUT', name: 'If-Match' | 'If-None-Match', tags: string[]) {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; text: string }>()
    const headers = {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      [name]: tags,
    }
    request(path(), { method, headers }, async (response) => {
      const text = (await response.toArray()).join('')
      resolve({ status: response.statusCode, text })
    })
      .on('error', reject)
      .end(method === 'PUT' ? JSON.stringify({ name: 'Ziel' }) : undefined)
    const { status, text } = await promise
    return { status, error: text === '' ? undefined : JSON.parse(text).error }
  }
  const etagNow = async () =>
    String((await fetch(path(), { headers: { Authorization: `Bearer ${apiKey}` } })).headers.get('etag'))

  it('counts with all its lines', async () => {
    const etag = await etagNow()

    expect((await send('GET', 'If-None-Match', [etag, '"other"'])).status).toBe(304)
    expect((await send('PUT', 'If-Match', [etag, '"other"'])).status).toBe(200)
    expect((await send('PUT', 'If-Match', ['"one"', '"other"'])).status).toBe(412)
  })

  it('of more characters than are read is refused, on two lines too', async () => {
    const { status, error } = await send('PUT', 'If-Match', [
      `"${'1'.repeat(3_000)}"`,
      `"${'2'.repeat(3_000)}"`,
    ])

    expect([status, error.details[0].path]).toEqual([400, 'header.If-Match'])
  })

  it('with an ETag that a proxy has made weak is refused with the remedy', async () => {
    const { status, error } = await send('PUT', 'If-Match', [`W/${await etagNow()}`])

    expect([status, error.code, error.message]).toEqual([
      412,
      'PRECONDITION_FAILED',
      'A weak `ETag` never matches. A proxy that compresses answers adds `W/`: send `If-Match` without it.',
    ])
  })
})

describe('HEAD', () => {
  it.each([
    '/api/v1/health',
    '/docs',
    '/docs/scalar.js',
    '/verify',
  ])('answers like GET, without a body: %s', async (path) => {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(firm.baseUrl + path, { method })),
    )

    expect([head?.status, await head?.text()]).toEqual([200, ''])
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
      expect(head?.headers.get(name), name).toBe(get?.headers.get(name))
  })

  it('needs the key that GET needs, shows the ETag, and knows 404', async () => {
    const head = (path: string, headers: Record<string, string>) =>
      fetch(firm.baseUrl + path, { method: 'HEAD', headers })
    const key = { Authorization: `Bearer ${apiKey}` }
    const get = await fetch(`${firm.baseUrl}/api/v1/cases/${caseId}`, { headers: key })

    const found = await head(`/api/v1/cases/${caseId}`, key)
    const etag = get.headers.get('etag') ?? ''
    expect([found.status, found.headers.get('etag')]).toEqual([200, etag])
    expect((await head(`/api/v1/cases/${caseId}`, { ...key, 'If-None-Match': etag })).status).toBe(304)
    expect((await head(`/api/v1/cases/${caseId}`, {})).status).toBe(401)
    expect((await head('/api/v1/cases/none', key)).status).toBe(404)
  })

  it('tells the length of a document and sends none of it', async () => {
    const form = new FormData()
    form.append('file', new Blob(['Sehr geehrte Frau Meier, '.repeat(2_000)]), 'Brief.txt')
    const key = { Authorization: `Bearer ${apiKey}` }
    const { id } = (await firm.owner('POST', '/api/v1/documents', { raw: form })).body

    const answer = await fetch(`${firm.baseUrl}/api/v1/documents/${id}/download`, {
      method: 'HEAD',
      headers: key,
    })

    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
      200,
      '50000',
      '',
    ])
  })
})

it('TRACE is no way to have a request sent back', async () => {
  const { host, port } = new URL(firm.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`TRACE /api/v1/health HTTP/1.1\r\nHost: ${host}\r\nX-Secret: 1\r\nConnection: close\r\n\r\n`)
  const answer = (await socket.toArray()).join('')

  expect(answer).toMatch(/^HTTP\/1\.1 405 /)
  expect(answer).toMatch(/^allow: GET, HEAD\r$/im)
  expect(answer).not.toContain('X-Secret')
})

it.each(['/docs/', '/verify/'])('a page works also if its address ends with a slash: %s', async (path) => {
  const shown = await fetch(firm.baseUrl + path)
  const addresses = [...(await shown.text()).matchAll(/(?:src|data-url|action)="(?!data:)([^"]*)"/g)]
  const loaded = await Promise.all(addresses.map(([, to = '']) => fetch(new URL(to, shown.url))))

  expect([shown.status, ...loaded.map(({ status }) => status)]).toEqual(Array(1 + addresses.length).fill(200))
})

it('the root leads to the documentation', async () => {
  const answer = await fetch(`${firm.baseUrl}/`, { redirect: 'manual' })

  expect([answer.status, answer.headers.get('location')]).toEqual([302, `${firm.baseUrl}/docs`])
})

describe('a refusal says what to do', () => {
  const detailsOf = async (method: string, path: string, options = {}) =>
    (await firm.owner(method, path, options)).body.error.details

  it.each([
    ['/api/v1/cases?updated_since=2026-11-01T10:00:00+01:00', 'updated_since'],
    ['/api/v1/documents?updated_since=2026-10-25T02:30:00+02:00', 'updated_since'],
    ['/api/v1/deadlines?updated_since=2026-11-02T23:59:59.5+00:00', 'updated_since'],
  ])('a plus sign that was not encoded: %s', async (path, name) => {
    expect(await detailsOf('GET', path)).toEqual([
      {
        path: `query.${name}`,
        message: 'A plus sign in a query means a blank: percent-encode it as %2B.',
      },
    ])
  })

  it.each(['M%FCller', '%E4', 'Gro%DFmann'])('bytes that are not UTF-8: %s', async (search) => {
    expect(await detailsOf('GET', `/api/v1/cases?search=${search}`)).toEqual([
      { path: 'query.search', message: 'Percent-encode this in UTF-8: ü is %C3%BC.' },
    ])
  })

  it.each([
    ['stauts', 'This parameter is unknown. The nearest known one is status.'],
    ['caseStatus', 'This parameter is unknown. The nearest known one is status.'],
    ['colour', /^This parameter is unknown\. Known here: .*\bcursor\b/],
  ])('an unknown parameter: %s', async (name, message) => {
    const details = await detailsOf('GET', `/api/v1/cases?${name}=1`)

    expect(details).toEqual([{ path: `query.${name}`, message: expect.stringMatching(message) }])
  })

  it.each(['abc', 'W/abc', '"abc', 'abc, def'])('an If-Match without quotes: %s', async (tag) => {
    const { status, body } = await firm.owner('PUT', `/api/v1/cases/${caseId}`, {
      body: { name: 'Neu' },
      headers: { 'If-Match': tag },
    })

    expect([status, body.error.code]).toEqual([412, 'PRECONDITION_FAILED'])
    expect(body.error.message).toContain('quotes')
  })

  it('a number where a decimal is a text', async () => {
    for (const quantity of [1, 1.5, -3]) {
      const details = await detailsOf('POST', '/api/v1/invoices', {
        body: {
          case_id: caseId,
          lines: [{ text: 'Beratung', quantity, unit: 'hour', unit_price: '250.00' }],
        },
      })
      const fault = details.find(({ path }: { path: string }) => path.endsWith('.quantity'))
      expect(fault?.message).toContain('"12.5"')
    }
  })

  it('a name of a document of which nothing is left', async () => {
    for (const filename of [
      ...['', '  ', '..', 'Ordner/', '\t'],
      ...[
        '\u200b',
        'Ordner\\\ufeff\u2060',
        '\u00ad\u200d',
        '\u3164',
        '\u2800 \uffa0',
        '\u202e\u{e0020}',
        '\u0301',
      ],
    ]) {
      const { status, body } = await firm.owner(
        'PATCH',
        '/api/v1/documents/doc_01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52',
        {
          body: { filename },
        },
      )
      expect([status, body.error.details]).toEqual([
        400,
        [{ path: 'body.filename', message: 'This must not be empty.' }],
      ])
    }
  })

  it('broken JSON, with the place of the fault', async () => {
    const { body } = await firm.owner('POST', '/api/v1/cases', {
      raw: '{\n  "name": "Müller",\n}',
      headers: { 'Content-Type': 'application/json' },
    })

    expect(body.error.details).toEqual([
      { path: 'body', message: 'This is not valid JSON: look at line 3, column 1.' },
    ])
  })
})
