import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#test/support/api.ts'
import { form } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let caseId: string
beforeAll(async () => {
  firm = await newFirm()
  caseId = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Ziel' } })).body.id
})

const json = { 'Content-Type': 'application/json' }

describe('a malformed request', () => {
  it.each([
    ['cut off', '{"name":'],
    ['no object', '5'],
    ['null', 'null'],
    ['an array', '[]'],
    ['empty', ''],
    ['two values', '{"name":"A"}{"name":"B"}'],
    ['deep as a well', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    [
      'broken UTF-8',
      new Uint8Array([0x7b, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    ],
    ['a lone surrogate', '{"name":"\\ud800"}'],
    ['a name that is an object', '{"name":{"$ne":null}}'],
    ['a number too large', '{"name":1e999}'],
  ])('with a body that is %s answers 400', async (_, raw) => {
    const { status, body } = await firm.owner('POST', '/api/v1/cases', { raw, headers: json })

    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.error.details.length).toBeGreaterThan(0)
  })

  it('gets every error with its path and a message', async () => {
    const { body } = await firm.owner('POST', '/api/v1/cases', {
      body: { name: 5, description: 'x'.repeat(20_001) },
    })

    expect(body.error.details).toEqual([
      { path: 'body.name', message: 'This must be a string.' },
      { path: 'body.description', message: 'At most 20000 characters.' },
    ])
  })

  it.each([
    'text/plain',
    'application/xml',
    'application/json; charset=iso-8859-1',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])('of the type %s answers 415', async (type) => {
    const { status, body } = await firm.owner('POST', '/api/v1/cases', {
      raw: '{"name":"A"}',
      headers: { 'Content-Type': type },
    })

    expect([status, body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
  ])('of the type %s is taken', async (type) => {
    expect(
      (
        await firm.owner('POST', '/api/v1/cases', {
          raw: '{"name":"A"}',
          headers: { 'Content-Type': type },
        })
      ).status,
    ).toBe(201)
  })

  it('over the limit of the gateway answers 413 in the envelope and stores nothing', async () => {
    const answers = await Promise.all(
      [7, 11].map((mebibytes) =>
        firm.owner('POST', '/api/v1/cases', {
          raw: JSON.stringify({ name: 'Riese', description: 'x'.repeat(mebibytes << 20) }),
          headers: json,
        }),
      ),
    )

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(2).fill([413, 'PAYLOAD_TOO_LARGE']),
    )
    expect((await firm.owner('GET', '/api/v1/cases?search=riese')).body.data).toEqual([])
  })

  it.each([
    ['GET', '/api/v1'],
    ['GET', '/api/v1/faelle'],
    ['PATCH', '/api/v1/case'],
    ['GET', '/api/v1/cases/%00/parties/x'],
    ['GET', '/api/v2/cases'],
    ['OPTIONS', '/api/v1'],
  ])('to %s %s answers 404 ROUTE_NOT_FOUND', async (method, path) => {
    const { status, body } = await firm.owner(method, path)

    expect([status, body.error.code]).toEqual([404, 'ROUTE_NOT_FOUND'])
  })

  it.each([
    'nichts',
    '%00',
    '%FF%FE',
    '..%2f..%2f',
    'x'.repeat(2000),
    '00000000-0000-0000-0000-000000000000',
    '%F0%9F%A6%84',
    "' OR 1=1 --",
    '{id}',
  ])('to the case %s answers 404 CASE_NOT_FOUND, whatever is done to it', async (id) => {
    const answers = await Promise.all([
      firm.owner('GET', `/api/v1/cases/${id}`),
      firm.owner('PUT', `/api/v1/cases/${id}`, { body: { name: 'A' } }),
      firm.owner('DELETE', `/api/v1/cases/${id}`),
      firm.owner('GET', `/api/v1/cases/${id}/timeline`),
    ])

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(4).fill([404, 'CASE_NOT_FOUND']),
    )
  })

  it.each(['%', '%zz', '%c3'])('with the path escape %s answers an error of the caller', async (id) => {
    const status = await rawStatus(`/api/v1/cases/${id}`)
    expect(Math.floor((status ?? 0) / 100)).toBe(4)
  })
})

describe('a header that identifies the caller', () => {
  it.each([
    'Authorization',
    'authorization',
  ])('counts as missing when it is sent twice, also as %s', async (name) => {
    const { key } = await firm.colleague()
    const once = ['Authorization', `Bearer ${key}`]

    const statuses = [
      await statusWith('GET', '/api/v1/cases', once),
      await statusWith('GET', '/api/v1/cases', [...once, name, `Bearer ${key}`]),
      await statusWith('GET', '/api/v1/cases', [...once, name, 'Bearer x']),
      await statusWith('GET', '/api/v1/cases', [name, 'Bearer x', ...once]),
    ]

    expect(statuses).toEqual([200, 401, 401, 401])
  })

  it('of the webhook counts as missing when it is sent twice', async () => {
    const { token } = (await firm.owner('GET', '/api/v1/workspace/webhooks')).body
    const path = `/webhooks/inbox/${firm.workspace.id}`
    const header = ['X-Service-Token', token]

    const statuses = [
      await statusWith('POST', path, header),
      await statusWith('POST', path, [...header, ...header]),
      await statusWith('POST', path, [...header, 'x-service-token', 'x']),
      await statusWith('POST', path, ['x-service-token', 'x', ...header]),
    ]

    expect(statuses).toEqual([422, 401, 401, 401])
  })
})

describe('the order of checks', () => {
  it('is key, scope, shape, existence', async () => {
    const reader = await firm.withScopes('cases:read')
    const path = '/api/v1/cases/unbekannt/links'

    const withoutKey = await api(firm.baseUrl, undefined)('POST', path, { raw: '{', headers: json })
    const withoutScope = await reader('POST', path, { raw: '{', headers: json })
    const malformed = await firm.owner('POST', path, { raw: '{', headers: json })
    const unknown = await firm.owner('POST', path, { body: { case_id: caseId } })

    expect([withoutKey.status, withoutScope.status, malformed.status, unknown.status]).toEqual([
      401, 403, 400, 404,
    ])
  })
})

describe('a refusal of something that the request names says where it is named (G1)', () => {
  const at = { start: '2026-05-04T09:00:00Z', end: '2026-05-04T10:00:00Z' }
  const due = { title: 'Frist', due_at: '2031-05-04' }
  const anUpload = { filename: 'Akte.pdf', mime_type: 'application/pdf', size_bytes: 9 }
  const pathsOf = ({ body }: Awaited<ReturnType<Firm['owner']>>) =>
    body.error.details?.map(({ path }: { path: string }) => path)

  it.each<[string, string, object, string]>([
    ['POST', 'calendar/events', { title: 'Termin', ...at, case_id: 'x' }, 'body.case_id'],
    ['POST', 'calendar/events', { title: 'Termin', start: at.end, end: at.start }, 'body.start'],
    ['POST', 'calendar/availability/freebusy', { user_ids: ['x'], from: at.end, to: at.start }, 'body.from'],
    ['POST', 'deadlines', { ...due, case_id: 'x' }, 'body.case_id'],
    ['POST', 'deadlines', { ...due, case_id: 'x', assigned_to: 'x' }, 'body.assigned_to'],
    [
      'POST',
      'deadlines',
      { ...due, case_id: 'x', frist_type: 'nachfrist', hauptfrist_id: 'x' },
      'body.hauptfrist_id',
    ],
    ['POST', 'folders', { name: 'Ordner', parent_id: 'x' }, 'body.parent_id'],
    ['POST', 'folders', { name: 'Ordner', case_id: 'x' }, 'body.case_id'],
    ['POST', 'email/outbound/drafts', { case_id: 'x' }, 'body.case_id'],
    [
      'POST',
      'time-entries',
      { case_id: 'x', date: '2026-05-04', minutes: 6, activity: 'Telefonat' },
      'body.case_id',
    ],
    ['POST', 'documents/uploads', { ...anUpload, case_id: 'x' }, 'body.case_id'],
    ['POST', 'documents/uploads', { ...anUpload, folder_id: 'x' }, 'body.folder_id'],
    ['POST', 'documents/uploads', { ...anUpload, mime_type: 'video/mp4' }, 'body.mime_type'],
    ['POST', 'documents/uploads', { ...anUpload, size_bytes: 2 ** 30 }, 'body.size_bytes'],
  ])('%s %s: %o', async (method, path, body, place) => {
    expect(pathsOf(await firm.owner(method, `/api/v1/${path}`, { body }))).toEqual([place])
  })

  it('and not the id in place of a malformed one', async () => {
    const { body } = await firm.owner('POST', '/api/v1/folders', { body: { name: 'Ordner', case_id: 'x' } })

    expect(body.error.details).toEqual([{ path: 'body.case_id', message: 'This id is unknown.' }])
  })

  it('also where the path names another of the same kind', async () => {
    const folder = (await firm.owner('POST', '/api/v1/folders', { body: { name: 'Ordner' } })).body.id

    const answers = [
      await firm.owner('POST', `/api/v1/cases/${caseId}/links`, { body: { case_id: 'x' } }),
      await firm.owner('PATCH', `/api/v1/folders/${folder}`, { body: { parent_id: 'x' } }),
      await firm.owner('POST', '/api/v1/cases/x/links', { body: { case_id: caseId } }),
    ]

    expect(answers.map(pathsOf)).toEqual([['body.case_id'], ['body.parent_id'], undefined])
  })

  it.each([
    'deadlines?from=2026-05-05&to=2026-05-04',
    'calendar/fristen?from=2026-05-05&to=2026-05-04',
    'events?from=2026-05-05&to=2026-05-04',
  ])('GET %s', async (path) => {
    expect(pathsOf(await firm.owner('GET', `/api/v1/${path}`))).toEqual(['query.from'])
  })

  it('GET invoices and time entries of days in reverse', async () => {
    for (const path of ['invoices', 'time-entries'])
      expect(
        pathsOf(await firm.owner('GET', `/api/v1/${path}?date_from=2026-05-05&date_to=2026-05-04`)),
      ).toEqual(['query.date_from'])
  })

  it('a file of many', async () => {
    const files = ['Guten Tag', 'MZ\u0000\u0001'].map((bytes) => ({ bytes, filename: 'scan.txt' }))

    const answer = await firm.owner('POST', '/api/v1/inbox/upload', { raw: form({ files }) })

    expect([answer.status, pathsOf(answer)]).toEqual([415, ['body.files.1']])
  })
})

describe('another workspace', () => {
  it('cannot distinguish a case of another firm from a missing one by any request', async () => {
    const stranger = (await newFirm()).owner
    const missing = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
    const requests: [string, string, unknown?][] = [
      ['GET', ''],
      ['PUT', '', { name: 'Übernommen' }],
      ['DELETE', ''],
      ['GET', '/parties'],
      ['POST', '/parties', [{ name: 'A', role: 'client' }]],
      ['PUT', '/parties', []],
      ['GET', '/staff'],
      ['POST', '/staff', []],
      ['DELETE', '/staff', { staff_ids: [] }],
      ['GET', '/timeline'],
      ['GET', '/links'],
      ['POST', '/links', { case_id: '01993f5f-02b4-7a6c-8d13-9e4f7b2a5c61' }],
      ['DELETE', '/links/link_x'],
    ]
    for (const [method, path, body] of requests) {
      const send = body === undefined ? {} : { body }
      const [foreign, absent] = await Promise.all([
        stranger(method, `/api/v1/cases/${caseId}${path}`, send),
        stranger(method, `/api/v1/cases/${missing}${path}`, send),
      ])
      const comparable = ({ status, headers, body: { error } }: typeof foreign) => ({
        status,
        code: error.code,
        message: error.message,
        fields: Object.keys(error),
        headers: [...headers.keys()].toSorted(),
        length: headers.get('content-length'),
      })
      expect(comparable(foreign)).toEqual(comparable(absent))
      expect(foreign.body.error.code).toBe('CASE_NOT_FOUND')
    }
    expect((await firm.owner('GET', `/api/v1/cases/${caseId}`)).body.name).toBe('Ziel')
  })

  it('cannot link to, assign or list records of another workspace', async () => {
    const strangers = await newFirm()
    const own = (await strangers.owner('POST', '/api/v1/cases', { body: { name: 'Eigene' } })).body.id
    const party = (await firm.owner('POST', '/api/v1/parties', { body: { name: 'Fremde' } })).body.id

    const link = await strangers.owner('POST', `/api/v1/cases/${own}/links`, { body: { case_id: caseId } })
    const named = await strangers.owner('POST', `/api/v1/cases/${own}/parties`, {
      body: [{ id: party, role: 'client' }],
    })
    const user = await strangers.owner('GET', `/api/v1/users/${firm.ownerUser.id}`)
    const parties = await strangers.owner('GET', '/api/v1/parties')

    expect([link.status, named.status, user.status]).toEqual([404, 404, 404])
    expect(parties.body.data).toEqual([])
  })
})

/** The status of a GET whose path is sent exactly so; fetch would mend it. */
const rawStatus = (path: string) => statusWith('GET', path, [])

/** The status of a request whose path and header lines (name, value, name, value, …) are sent exactly so. */
function statusWith(method: string, path: string, lines: string[]): Promise<number | undefined> {
  const { host, hostname, port } = new URL(firm.baseUrl)
  const headers = ['Host', host, ...lines]
  return new Promise((resolve, reject) => {
    request({ method, hostname, port, path, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}
