import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { settled } from '#test/support/documents.ts'
import type { Call } from '#test/support/fake-dynamodb.ts'
import { type Fault, faultyStore } from '#test/support/faulty-store.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/**
 * The answer to a caller when the database fails in the middle of a change. The functions run here, in front of the
 * local database, so that single calls of theirs can be refused or lose their answers.
 */
type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

let firm: Firm
let colleague: Awaited<ReturnType<Firm['colleague']>>
let store: Awaited<ReturnType<typeof faultyStore>>
let handlers: Record<string, Handler>
beforeAll(async () => {
  firm = await newFirm()
  colleague = await firm.colleague()
  // The first use of the key is noted here, not in the middle of a test.
  await colleague.api('GET', '/api/v1/workspace')
  store = await faultyStore(sharedService().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '')
  for (const [name, value] of Object.entries(sharedService().environment)) vi.stubEnv(name, value)
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', store.url)
  vi.stubEnv('LOG_LEVEL', 'SILENT')
  vi.resetModules()
  handlers = {
    cases: (await import('#functions/cases/index.ts')).handler,
    parties: (await import('#functions/parties/index.ts')).handler,
    folders: (await import('#functions/folders/index.ts')).handler,
    workspace: (await import('#functions/workspace/index.ts')).handler,
    deadlines: (await import('#functions/deadlines/index.ts')).handler,
    calendar: (await import('#functions/calendar/index.ts')).handler,
    documents: (await import('#functions/documents/index.ts')).handler,
    ingestion: (await import('#functions/ingestion/index.ts')).handler,
  }
})
afterAll(() => {
  store.close()
  vi.unstubAllEnvs()
})

/** A request as API Gateway would hand it over. */
type Request = {
  function: string
  route: string
  params?: Record<string, string>
  body?: unknown
  idempotencyKey?: string
}

async function send({ function: name, route, params, body, idempotencyKey }: Request, seconds = 12) {
  const [httpMethod = '', resource = ''] = route.split(' ')
  const form = body instanceof FormData ? new Response(body) : undefined
  const event = {
    httpMethod,
    resource,
    path: resource,
    headers: {
      Authorization: `Bearer ${colleague.key}`,
      'X-Service-Token': firm.workspace.webhook_token,
      'Content-Type': form?.headers.get('content-type') ?? 'application/json',
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    requestContext: { requestId: 'request-1', stage: 'v1', domainName: 'api.example.de' },
    body: form
      ? Buffer.from(await form.arrayBuffer()).toString('base64')
      : body === undefined
        ? null
        : JSON.stringify(body),
    isBase64Encoded: form !== undefined,
    pathParameters: params ?? null,
    multiValueQueryStringParameters: null,
  } as unknown as APIGatewayProxyEvent
  const until = performance.now() + seconds * 1_000
  const context = { getRemainingTimeInMillis: () => until - performance.now() } as Context
  const answer = await (handlers[name] as Handler)(event, context)
  return {
    status: answer.statusCode,
    retryAfter: answer.headers?.['Retry-After'],
    replayed: answer.headers?.['Idempotent-Replayed'],
    body: answer.body === '' ? undefined : JSON.parse(answer.body),
  }
}

const made = async (path: string, body: unknown) => (await colleague.api('POST', path, { body })).body
const openCase = async (): Promise<string> => (await made('/api/v1/cases', { name: 'Akte' })).id
const addParty = async (): Promise<string> =>
  (await made('/api/v1/parties', { type: 'person', name: 'Anna Meier' })).id
const enterDeadline = (by = colleague.api) =>
  openCase().then(async (case_id) => {
    const body = { title: 'Berufung', case_id, due_at: '2031-04-16' }
    return (await by('POST', '/api/v1/deadlines', { body })).body.id as string
  })
const enterEvent = async (): Promise<string> =>
  (await made('/api/v1/events', { title: 'Termin', start: nextHour().start, end: nextHour().end })).id
/** A document that was read: its worker changes it no more. */
const upload = async (): Promise<string> => {
  const { body } = await colleague.api('POST', '/api/v1/documents', { raw: formOf('file', uniqueText()) })
  return (await settled(colleague.api, body.id)).id
}

let hours = 0
function nextHour() {
  hours += 2
  const at = (hour: number) => new Date(Date.UTC(2031, 0, 1, hour)).toISOString()
  return { start: at(hours), end: at(hours + 1) }
}
const uniqueText = () => `Sehr geehrte Damen und Herren, ${crypto.randomUUID()}`
function formOf(field: string, text: string): FormData {
  const form = new FormData()
  form.append(field, new File([text], 'brief.txt', { type: 'text/plain' }))
  return form
}

type Operation = [
  name: string,
  prepare: () => Promise<Request> | Request,
  isDurable?: (json: string) => boolean,
]

/** The transaction that makes the change: the first one that does not only reserve parties for it. */
const makesTheChange = (json: string) => !json.includes('reservation')

const marksDeleted = (json: string) => {
  const name = /"(#\w+)":"deleted_at"/.exec(json)?.[1]
  return name !== undefined && json.includes(`${name} = `)
}

const cases = '/api/v1/cases/{id}'
const operations: Operation[] = [
  ['opening a case', () => ({ function: 'cases', route: 'POST /api/v1/cases', body: { name: 'Neu' } })],
  [
    'changing a case',
    async () => ({
      function: 'cases',
      route: `PUT ${cases}`,
      params: { id: await openCase() },
      body: { name: 'Umbenannt' },
    }),
  ],
  [
    'deleting a case',
    async () => ({ function: 'cases', route: `DELETE ${cases}`, params: { id: await openCase() } }),
  ],
  ...(['POST', 'PUT'] as const).map(
    (method): Operation => [
      `${method} of the parties of a case`,
      async () => ({
        function: 'cases',
        route: `${method} ${cases}/parties`,
        params: { id: await openCase() },
        body: {
          parties: [
            { id: await addParty(), role: 'Mandantin' },
            { type: 'person', name: 'Neue Partei', role: 'Gegner' },
          ],
        },
      }),
    ],
  ),
  [
    'assigning staff',
    async () => ({
      function: 'cases',
      route: `POST ${cases}/staff`,
      params: { id: await openCase() },
      body: { staff: [{ id: colleague.user.id, role: 'Sachbearbeiter' }] },
    }),
  ],
  [
    'linking two cases',
    async () => ({
      function: 'cases',
      route: `POST ${cases}/links`,
      params: { id: await openCase() },
      body: { case_id: await openCase() },
    }),
  ],
  [
    'adding a party',
    () => ({
      function: 'parties',
      route: 'POST /api/v1/parties',
      body: { type: 'person', name: 'Anna Meier' },
    }),
  ],
  [
    'changing a party',
    async () => ({
      function: 'parties',
      route: 'PUT /api/v1/parties/{id}',
      params: { id: await addParty() },
      body: { name: 'Anna Schulz' },
    }),
  ],
  [
    'deleting a party',
    async () => ({
      function: 'parties',
      route: 'DELETE /api/v1/parties/{id}',
      params: { id: await addParty() },
    }),
  ],
  [
    'adding a folder',
    () => ({ function: 'folders', route: 'POST /api/v1/folders', body: { name: 'Ordner' } }),
  ],
  [
    'changing a folder',
    async () => ({
      function: 'folders',
      route: 'PATCH /api/v1/folders/{id}',
      params: { id: (await made('/api/v1/folders', { name: 'Ordner' })).id },
      body: { name: 'Umbenannt' },
    }),
  ],
  [
    'deleting a folder',
    async () => ({
      function: 'folders',
      route: 'DELETE /api/v1/folders/{id}',
      params: { id: (await made('/api/v1/folders', { name: 'Ordner' })).id },
    }),
    marksDeleted,
  ],
  [
    'changing the workspace',
    () => ({ function: 'workspace', route: 'PATCH /api/v1/workspace', body: { name: 'Kanzlei' } }),
  ],
  [
    'adding a user',
    () => ({
      function: 'workspace',
      route: 'POST /api/v1/users',
      body: { name: 'Emre Çelik', email: 'celik@example.de' },
    }),
  ],
  [
    'adding a key',
    () => ({
      function: 'workspace',
      route: 'POST /api/v1/api-keys',
      body: { user_id: colleague.user.id, name: 'Test', scopes: ['cases:read'] },
    }),
  ],
  [
    'revoking a key',
    async () => {
      const key = { user_id: colleague.user.id, name: 'Test', scopes: ['cases:read'] }
      return {
        function: 'workspace',
        route: 'DELETE /api/v1/api-keys/{id}',
        params: { id: (await made('/api/v1/api-keys', key)).id },
      }
    },
  ],
  [
    'entering a deadline with its Vorfrist',
    async () => ({
      function: 'deadlines',
      route: 'POST /api/v1/deadlines',
      body: { title: 'Berufung', case_id: await openCase(), due_at: '2031-04-16', create_vorfrist: true },
    }),
  ],
  [
    'adding a Nachfrist to a chain',
    async () => {
      const hauptfrist_id = await enterDeadline()
      const { case_id } = (await colleague.api('GET', `/api/v1/deadlines/${hauptfrist_id}`)).body
      const body = { title: 'Nach', case_id, due_at: '2031-05-16', frist_type: 'nachfrist', hauptfrist_id }
      return { function: 'deadlines', route: 'POST /api/v1/deadlines', body }
    },
  ],
  [
    'changing a deadline',
    async () => ({
      function: 'deadlines',
      route: 'PATCH /api/v1/deadlines/{id}',
      params: { id: await enterDeadline() },
      body: { due_at: '2031-04-17' },
    }),
  ],
  [
    'verifying a deadline',
    async () => ({
      function: 'deadlines',
      route: 'POST /api/v1/deadlines/{id}/verify',
      params: { id: await enterDeadline(firm.owner) },
    }),
  ],
  [
    'delegating a verification',
    async () => ({
      function: 'deadlines',
      route: 'POST /api/v1/deadlines/{id}/delegate',
      params: { id: await enterDeadline() },
      body: { user_id: firm.ownerUser.id },
    }),
  ],
  [
    'completing a deadline',
    async () => ({
      function: 'deadlines',
      route: 'POST /api/v1/deadlines/{id}/complete',
      params: { id: await enterDeadline() },
      body: { evidence: { type: 'note', text: 'Eingereicht.' } },
    }),
  ],
  [
    'striking a deadline',
    async () => ({
      function: 'deadlines',
      route: 'DELETE /api/v1/deadlines/{id}',
      params: { id: await enterDeadline() },
    }),
  ],
  [
    'entering an event',
    () => ({
      function: 'calendar',
      route: 'POST /api/v1/events',
      body: { title: 'Termin', ...nextHour() },
    }),
  ],
  [
    'changing an event',
    async () => ({
      function: 'calendar',
      route: 'PATCH /api/v1/events/{id}',
      params: { id: await enterEvent() },
      body: nextHour(),
    }),
  ],
  [
    'deleting an event',
    async () => ({
      function: 'calendar',
      route: 'DELETE /api/v1/events/{id}',
      params: { id: await enterEvent() },
    }),
  ],
  ['making a calendar token', () => ({ function: 'calendar', route: 'POST /api/v1/calendar/ical-tokens' })],
  [
    'uploading a document',
    async () => {
      const body = formOf('file', uniqueText())
      body.append('case_id', await openCase())
      body.append('party_ids', await addParty())
      return { function: 'documents', route: 'POST /api/v1/documents', body }
    },
  ],
  [
    'announcing an upload',
    async () => ({
      function: 'documents',
      route: 'POST /api/v1/documents/uploads',
      body: {
        filename: 'a.pdf',
        mime_type: 'application/pdf',
        size_bytes: 5,
        party_ids: [await addParty()],
      },
    }),
  ],
  [
    'assigning a document',
    async () => ({
      function: 'documents',
      route: 'POST /api/v1/documents/{id}/assign',
      params: { id: await upload() },
      body: { case_id: await openCase(), party_ids: [await addParty()] },
    }),
  ],
  [
    'assigning several documents',
    async () => ({
      function: 'documents',
      route: 'POST /api/v1/documents/bulk-assign',
      body: { document_ids: [await upload(), await upload()], case_id: await openCase() },
    }),
  ],
  [
    'deleting a document',
    async () => ({
      function: 'documents',
      route: 'DELETE /api/v1/documents/{id}',
      params: { id: await upload() },
    }),
  ],
]

/** One of each way of writing. */
const some = operations.filter(([name]) =>
  [
    'opening a case',
    'POST of the parties of a case',
    'changing a party',
    'deleting a folder',
    'adding a key',
    'adding a Nachfrist to a chain',
    'changing a deadline',
    'entering an event',
    'uploading a document',
  ].includes(name),
)

/** Has `then` decide from the change's own transaction on; the calls before it are carried out. */
function fromTheChangeOn(isDurable: (json: string) => boolean, then: (count: number) => Fault) {
  let count = 0
  store.fault = ({ operation, input }: Call): Fault => {
    const isChange = operation === 'TransactWriteItems' && isDurable(JSON.stringify(input))
    if (count === 0 && !isChange) return 'none'
    count += 1
    return then(count)
  }
}

describe('a database that gives out right after the change was made', () => {
  it.each(operations)('leaves the answer to %s whole', async (_, prepare, isDurable = makesTheChange) => {
    const request = await prepare()
    fromTheChangeOn(isDurable, (count) => (count === 1 ? 'none' : 'drop'))

    const { status, body } = await send(request)

    expect([status, body?.error]).toEqual([expect.toBeOneOf([200, 201, 204]), undefined])
  })
})

describe('a change whose answer is lost', () => {
  it.each(some)('says so of %s, and not to try again', async (_, prepare, isDurable = makesTheChange) => {
    const request = await prepare()
    fromTheChangeOn(isDurable, (count) => (count === 1 ? 'lose the answer' : 'drop'))

    const { status, body, retryAfter } = await send(request)

    expect([status, body.error.code, retryAfter]).toEqual([503, 'SERVICE_UNAVAILABLE', undefined])
    expect(body.error.message).toContain('It is not known whether the change was made')
    expect(body.error.message).not.toMatch(/try again|nothing was changed/i)
  })

  it('is reported as unknown even if every later attempt is refused', async () => {
    fromTheChangeOn(makesTheChange, (count) => (count === 1 ? 'lose the answer' : 'refuse'))

    const { body } = await send({ function: 'cases', route: 'POST /api/v1/cases', body: { name: 'Neu' } })

    expect(body.error.message).toContain('It is not known whether the change was made')
  })
})

describe('a change with an Idempotency-Key whose answer is lost', () => {
  const opening = () => ({
    function: 'cases',
    route: 'POST /api/v1/cases',
    body: { name: `Einmal ${crypto.randomUUID()}` },
    idempotencyKey: crypto.randomUUID(),
  })
  /** Read from the newest cases: what the lost transaction enqueued for the search is run by the sweeper. */
  const countOf = async ({ body: { name } }: { body: { name: string } }) => {
    const { data } = (await colleague.api('GET', '/api/v1/cases?limit=100')).body
    return data.filter((one: { name: string }) => one.name === name).length
  }

  it('is to be sent again with its key; then it has one effect', async () => {
    const request = opening()
    fromTheChangeOn(makesTheChange, (count) => (count === 1 ? 'lose the answer' : 'drop'))

    const lost = await send(request)
    store.fault = () => 'none'
    const again = await send(request)

    expect([lost.status, lost.retryAfter]).toEqual([503, expect.any(String)])
    expect(lost.body.error.message).toContain('send it again with the same Idempotency-Key')
    expect([again.status, again.replayed]).toEqual([201, 'true'])
    expect(await countOf(request)).toBe(1)
  })

  it('is answered at once if the database can be read again', async () => {
    const request = opening()
    store.fault = ({ operation }) => (operation === 'TransactWriteItems' ? 'lose the answer' : 'none')

    const { status, body } = await send(request)

    store.fault = () => 'none'
    expect([status, body.name]).toEqual([201, request.body.name])
    expect(await countOf(request)).toBe(1)
  })
})

// Time that runs out in the middle of an attempt makes its outcome unknown: on a busy machine, any of these.
describe('a change that never got through', { retry: 3 }, () => {
  it.each(some)('says of %s that nothing was changed', async (_, prepare, isDurable = makesTheChange) => {
    const request = await prepare()
    fromTheChangeOn(isDurable, () => 'refuse')

    const { status, body, retryAfter } = await send(request, 2.2)

    expect([status, body.error.code, retryAfter]).toEqual([503, 'SERVICE_UNAVAILABLE', expect.any(String)])
    expect(body.error.message).toContain('Nothing was changed: try again')
  })

  it('says so too with an Idempotency-Key, which the table has noted', async () => {
    fromTheChangeOn(makesTheChange, () => 'refuse')

    const { status, body, retryAfter } = await send(
      {
        function: 'cases',
        route: 'POST /api/v1/cases',
        body: { name: 'Neu' },
        idempotencyKey: crypto.randomUUID(),
      },
      2.2,
    )

    expect([status, retryAfter]).toEqual([503, expect.any(String)])
    expect(body.error.message).toContain('Nothing was changed: try again')
  })

  it('because the database could not even be read says so too', async () => {
    store.fault = () => 'drop'

    const { status, body, retryAfter } = await send({
      function: 'cases',
      route: 'POST /api/v1/cases',
      body: { name: 'Neu' },
    })

    expect([status, retryAfter]).toEqual([503, expect.any(String)])
    expect(body.error.message).toContain('Nothing was changed: try again')
  })
})

describe('adding parties to a case while the database gives out', () => {
  it('answers with the names that they bear, old, new and named twice', async () => {
    const case_id = await openCase()
    const [known, other] = [await addParty(), await addParty()]
    const path = `/api/v1/cases/${case_id}/parties`
    await colleague.api('POST', path, { body: [{ id: other, role: 'Zeugin' }] })
    await colleague.api('PUT', `/api/v1/parties/${other}`, { body: { name: 'Umbenannt' } })
    const name = `Gesellschaft ${'x'.repeat(200)}`
    fromTheChangeOn(makesTheChange, (count) => (count === 1 ? 'none' : 'drop'))

    const { status, body } = await send({
      function: 'cases',
      route: `POST ${cases}/parties`,
      params: { id: case_id },
      body: [
        { id: known, role: 'Mandantin' },
        { id: known, role: 'Zeugin' },
        { type: 'organization', name, role: 'Gegnerin' },
      ],
    })

    expect(status).toBe(201)
    expect(body.data.map((party: { role: string; name: string }) => [party.role, party.name])).toEqual([
      ['Zeugin', 'Umbenannt'],
      ['Mandantin', 'Anna Meier'],
      ['Zeugin', 'Anna Meier'],
      ['Gegnerin', name],
    ])
    store.fault = () => 'none'
    const stored = (await colleague.api('GET', path)).body.data
    expect(stored.map(({ id }: { id: string }) => id)).toEqual(body.data.map(({ id }: { id: string }) => id))
  })
})
