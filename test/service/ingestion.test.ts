import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#test/support/api.ts'
import { corpus, form, settled } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const pdf = () => corpus('schriftsatz.pdf')
const file = (part: Partial<{ bytes: string | Uint8Array<ArrayBuffer>; filename: string }> = {}) => ({
  file: { bytes: pdf(), filename: 'Ladung.pdf', ...part },
})

/** Pushes a form with a token as another system does: without an API key. */
function push(tenant: string, token: string | undefined, raw: FormData | string, headers = {}) {
  return api(firm.baseUrl, undefined)('POST', `/webhooks/inbox/${tenant}`, {
    raw,
    headers: { ...(token !== undefined && { 'X-Service-Token': token }), ...headers },
  })
}

const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]
const listed = async (by = firm) =>
  (await by.owner('GET', '/api/v1/documents?limit=100')).body.data.map(({ id }: { id: string }) => id)

describe('the ingestion webhook', () => {
  it('stores the document and answers with its bare UUID', async () => {
    const { id, webhook_token } = firm.workspace
    const folder = (await firm.owner('POST', '/api/v1/folders', { body: { name: 'Eingang' } })).body
    const metadata = { sender: 'Amtsgericht München', seiten: 3, nested: { a: [1, null] } }

    const { status, body } = await push(
      id,
      webhook_token,
      form(file(), { folder_id: folder.id.slice(4), metadata: JSON.stringify(metadata) }),
    )
    const document = await settled(firm.owner, body.document_id)

    expect([status, body]).toEqual([
      200,
      { status: 'ok', document_id: expect.stringMatching(/^[0-9a-f-]{36}$/), filename: 'Ladung.pdf' },
    ])
    expect(document).toMatchObject({
      id: `doc_${body.document_id}`,
      status: 'processed',
      source: 'webhook',
      folder_id: folder.id,
      case_id: null,
      metadata,
    })
  })

  it.each([
    ['numbers beyond what the table holds', '{"a":1e-300,"b":1e200,"c":12345678901234567890,"d":-0.1}'],
    ['nesting', `${'{"a":['.repeat(500)}null${']}'.repeat(500)}`],
    ['keys of all kinds', '{"":1,"pk":"x","constructor":{"toString":null},"ä b":[]}'],
    ['half a character', String.raw`{"a":"\ud800"}`],
  ])('gives metadata back as it was sent: %s', async (_, metadata) => {
    const { id, webhook_token } = firm.workspace

    const { status, body } = await push(id, webhook_token, form(file(), { metadata }))
    const document = (await firm.owner('GET', `/api/v1/documents/doc_${body.document_id}`)).body
    const page = (await firm.owner('GET', '/api/v1/documents?limit=1')).body

    expect(status).toBe(200)
    expect(document.metadata).toEqual(JSON.parse(metadata))
    expect(page.data[0].metadata).toEqual(JSON.parse(metadata))
  })

  it('takes the id of the workspace with and without its prefix, and no folder', async () => {
    const { id, webhook_token } = firm.workspace

    const answers = [
      await push(id, webhook_token, form(file())),
      await push(id.slice(3), webhook_token, form(file(), { folder_id: '', metadata: '' })),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it('answers a wrong token equally, whether the workspace exists or not', async () => {
    const other = stranger.workspace.webhook_token
    const { id } = firm.workspace
    const unknown = 'ws_01993f5e-0000-7000-8000-000000000000'
    const shown = async (tenant: string, token: string) => {
      const { status, body, headers } = await push(tenant, token, form(file()))
      const { request_id: _, ...error } = body.error
      return { status, error, names: [...headers.keys()].sort() }
    }

    for (const token of ['falsch', 'ä', ' ', 'x'.repeat(5_000), other.slice(1), other]) {
      const known = await shown(id, token)
      expect(await shown(unknown, token)).toEqual(known)
      expect(await shown('unsinn', token)).toEqual(known)
      expect(known.error.code).toBe(token === other ? 'WORKSPACE_NOT_FOUND' : 'WEBHOOK_TOKEN_INVALID')
    }
  })

  it('checks in its order: token shown, token known, workspace, size, form, type', async () => {
    const { id, webhook_token } = firm.workspace
    const before = await listed()
    const unknown = 'ws_01993f5e-0000-7000-8000-000000000000'
    const huge = form(file({ bytes: 'a'.repeat(4.45 * 1024 * 1024) }))
    const exe = file({ bytes: 'MZ\u0000\u0001' })
    const check = async (...request: Parameters<typeof push>) => outcome(await push(...request))

    expect(await check(unknown, undefined, 'kein Formular')).toEqual([401, 'WEBHOOK_TOKEN_INVALID'])
    expect(await check(unknown, '', 'kein Formular')).toEqual([401, 'WEBHOOK_TOKEN_INVALID'])
    expect(await check(unknown, webhook_token, huge)).toEqual([404, 'WORKSPACE_NOT_FOUND'])
    expect(await check('unsinn', webhook_token, huge)).toEqual([404, 'WORKSPACE_NOT_FOUND'])
    expect(await check(id, 'falsch', huge)).toEqual([401, 'WEBHOOK_TOKEN_INVALID'])
    expect(await check(id, stranger.workspace.webhook_token, huge)).toEqual([404, 'WORKSPACE_NOT_FOUND'])
    expect(await check(id, webhook_token, huge)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await check(id, webhook_token, form({}, { folder_id: '' }))).toEqual([422, 'VALIDATION_ERROR'])
    expect(await check(id, webhook_token, form(file({ bytes: '' })))).toEqual([422, 'VALIDATION_ERROR'])
    expect(await check(id, webhook_token, '{"file":"x"}', { 'Content-Type': 'application/json' })).toEqual([
      422,
      'VALIDATION_ERROR',
    ])
    for (const metadata of [
      '[1]',
      '"text"',
      'null',
      '{',
      '5',
      '{"a":1e400}',
      `{"a":"${'x'.repeat(9_000)}"}`,
    ]) {
      expect(await check(id, webhook_token, form(exe, { metadata }))).toEqual([422, 'VALIDATION_ERROR'])
    }
    expect(await check(id, webhook_token, form(exe, { folder_id: 'unsinn' }))).toEqual([
      422,
      'VALIDATION_ERROR',
    ])
    expect(await check(id, webhook_token, form(exe))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect(await check(id, webhook_token, form(file({ bytes: 'Nur Text.' })))).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ])
    expect(await listed()).toEqual(before)
  })

  it('names the fields and files that it does not read, and refuses them if asked to', async () => {
    const { id, webhook_token } = firm.workspace
    const second = { bytes: pdf(), filename: 'Anlage K1.pdf' }
    const sent = () => form({ ...file(), file2: second }, { folderid: 'x' })

    const taken = await push(id, webhook_token, sent())
    const before = await listed()
    const strict = await push(id, webhook_token, sent(), { Prefer: 'handling=strict' })

    expect([taken.status, taken.headers.get('x-ignored-fields')]).toEqual([200, 'folderid, file2'])
    expect(outcome(strict)).toEqual([422, 'VALIDATION_ERROR'])
    expect(strict.headers.get('preference-applied')).toBe('handling=strict')
    expect(strict.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'body.folderid',
      'body.file2',
    ])
    expect(await listed()).toEqual(before)
  })

  it('does not take a folder of another workspace', async () => {
    const { id, webhook_token } = firm.workspace
    const foreign = (await stranger.owner('POST', '/api/v1/folders', { body: { name: 'Fremd' } })).body

    expect(outcome(await push(id, webhook_token, form(file(), { folder_id: foreign.id })))).toEqual([
      422,
      'VALIDATION_ERROR',
    ])
  })

  it('does not open to the old token once it was replaced', async () => {
    const own = await newFirm()
    const { id, webhook_token } = own.workspace
    const { body } = await own.owner('POST', '/api/v1/workspace/webhooks/rotate')

    expect(outcome(await push(id, webhook_token, form(file())))).toEqual([401, 'WEBHOOK_TOKEN_INVALID'])
    expect((await push(id, body.token, form(file()))).status).toBe(200)
    expect(body.url).toBe(`${firm.baseUrl}/webhooks/inbox/${id}`)
  })

  it('does not open to an API key', async () => {
    const answer = await firm.owner('POST', `/webhooks/inbox/${firm.workspace.id}`, { raw: form(file()) })

    expect(outcome(answer)).toEqual([401, 'WEBHOOK_TOKEN_INVALID'])
  })
})

describe('an upload to the inbox', () => {
  const send = (files: { bytes: string | Uint8Array<ArrayBuffer>; filename: string }[], fields = {}) =>
    firm.owner('POST', '/api/v1/inbox/upload', { raw: form({ files }, fields) })

  it('stores every file and says that they are being processed', async () => {
    const { status, body } = await send(
      [
        { bytes: pdf(), filename: 'Scan 1.pdf' },
        { bytes: 'Notiz', filename: 'Notiz.txt' },
      ],
      { source: 'scanner' },
    )

    expect(status).toBe(201)
    expect(body.uploaded).toEqual([
      { document_id: expect.stringMatching(/^doc_/), filename: 'Scan 1.pdf', status: 'processing' },
      { document_id: expect.stringMatching(/^doc_/), filename: 'Notiz.txt', status: 'processing' },
    ])
    for (const { document_id } of body.uploaded) {
      expect(await settled(firm.owner, document_id)).toMatchObject({
        status: 'processed',
        source: 'inbox',
        metadata: { source: 'scanner' },
      })
    }
  })

  it('stores nothing if one file is refused, and names it', async () => {
    const before = await listed()
    const good = { bytes: pdf(), filename: 'gut.pdf' }

    const wrong = await send([good, { bytes: 'MZ\u0000\u0001', filename: 'böse.pdf' }, good])
    const empty = await send([good, { bytes: '', filename: 'leer.pdf' }])

    expect(outcome(wrong)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect(wrong.body.error.message).toContain('böse.pdf')
    expect(outcome(empty)).toEqual([400, 'VALIDATION_ERROR'])
    expect(empty.body.error.message).toContain('leer.pdf')
    expect(await listed()).toEqual(before)
  })

  it('takes twenty files, not none and not twenty-one', async () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ bytes: `Seite ${at}`, filename: `${at}.txt` }))

    const [none, twenty, more] = [await send([]), await send(files(20)), await send(files(21))]

    expect(outcome(none)).toEqual([400, 'VALIDATION_ERROR'])
    expect([twenty.status, twenty.body.uploaded.length]).toEqual([201, 20])
    expect(outcome(more)).toEqual([400, 'VALIDATION_ERROR'])
    for (const { document_id } of twenty.body.uploaded) await settled(firm.owner, document_id)
  })

  it('needs inbox:write', async () => {
    const writer = await firm.withScopes('documents:write')

    const answer = await writer('POST', '/api/v1/inbox/upload', {
      raw: form({ files: [{ bytes: 'a', filename: 'a.txt' }] }),
    })

    expect(outcome(answer)).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
  })
})
