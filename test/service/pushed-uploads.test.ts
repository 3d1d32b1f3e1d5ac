import { beforeAll, describe, expect, it } from 'vitest'
import { hexDigest } from '#kernel/hex-digest.ts'
import { webhookTokenEntity } from '#store/workspace/webhook-token-entity.ts'
import { api } from '#test/support/api.ts'
import { corpus, settled } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const path = '/api/v1/webhooks/inbox/uploads'
const bytes = corpus('schriftsatz.pdf')
const by = (token: string | undefined) => (at: string, body?: unknown) =>
  api(firm.baseUrl, undefined)('POST', at, {
    ...(body !== undefined && { body }),
    headers: token === undefined ? {} : { 'X-Service-Token': token },
  })
const scanner = (firmOf = firm) => by(firmOf.workspace.webhook_token)
const announcement = (changes: object = {}) => ({
  filename: 'Akte.pdf',
  mime_type: 'application/pdf',
  size_bytes: bytes.length,
  ...changes,
})
type Upload = { method: string; url: string; headers: Record<string, string> }
const put = ({ url, method, headers }: Upload, body: Uint8Array<ArrayBuffer> | string = bytes) =>
  fetch(url, { method, headers, body })
const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]
const inInbox = async () =>
  (await firm.owner('GET', '/api/v1/inbox?kind=document&limit=100')).body.data.map(
    ({ id }: { id: string }) => id,
  )

describe('a system that holds only the webhook token', () => {
  it('delivers a file far over the limit of a form, which is in the inbox once it is complete', async () => {
    const large = new Uint8Array(9 * 1024 * 1024).fill(0x20)
    large.set(bytes)
    const metadata = { sender: 'Scanner 3. OG', seiten: 412 }

    const announced = await scanner()(path, announcement({ size_bytes: large.length, metadata }))
    const { document, upload } = announced.body
    const before = await inInbox()
    const stored = await put(upload, large)
    const completed = await scanner()(`${path}/${document.id}/complete`)
    const again = await scanner()(`${path}/${document.id.slice(4)}/complete`)
    const read = await settled(firm.owner, document.id)

    expect([announced.status, stored.status, completed.status, again.status]).toEqual([201, 200, 200, 200])
    expect(document).toMatchObject({ status: 'pending', source: 'webhook', metadata, case_id: null })
    expect(completed.body).toMatchObject({ id: document.id, size_bytes: large.length })
    expect(before).not.toContain(document.id)
    expect(await inInbox()).toContain(document.id)
    expect(read).toMatchObject({ status: 'processed', source: 'webhook', metadata })
  })

  it('files into a folder, with metadata as the form has them, and the inbox stays empty of it', async () => {
    const folder = (await firm.owner('POST', '/api/v1/folders', { body: { name: 'Scans' } })).body
    const metadata = JSON.stringify({ quelle: 'Fächer 7' })

    const { document, upload } = (await scanner()(path, announcement({ folder_id: folder.id, metadata })))
      .body
    await put(upload)
    await scanner()(`${path}/${document.id}/complete`)

    const shown = (await firm.owner('GET', `/api/v1/documents/${document.id}`)).body
    expect(shown).toMatchObject({ folder_id: folder.id, metadata: { quelle: 'Fächer 7' } })
    expect(await inInbox()).not.toContain(document.id)
  })

  it('does not learn what the office does with the document, nor which documents are equal to it', async () => {
    const kase = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Vertraulich' } })).body
    const { document, upload } = (await scanner()(path, announcement())).body
    await put(upload)
    await scanner()(`${path}/${document.id}/complete`)
    await settled(firm.owner, document.id)
    await firm.owner('POST', `/api/v1/documents/${document.id}/assign`, { body: { case_id: kase.id } })

    const again = await scanner()(`${path}/${document.id}/complete`)

    expect([again.status, again.body.case_id, again.body.parties, again.body.duplicate_of]).toEqual([
      200,
      null,
      [],
      [],
    ])
  })

  it('completes nothing that came another way, or belongs to another firm', async () => {
    const own = await firm.owner('POST', '/api/v1/documents/uploads', { body: announcement() })
    const { document } = (await scanner()(path, announcement())).body

    const answers = await Promise.all([
      scanner()(`${path}/${own.body.document.id}/complete`),
      scanner(stranger)(`${path}/${document.id}/complete`),
      scanner()(`${path}/unsinn/complete`),
      scanner()(`${path}/doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31/complete`),
    ])

    expect(answers.map(outcome)).toEqual(Array(4).fill([404, 'DOCUMENT_NOT_FOUND']))
  })

  it('is refused bytes that do not match the announcement, and may continue with the right bytes', async () => {
    const { document, upload } = (await scanner()(path, announcement({ sha256: '0'.repeat(64) }))).body
    const complete = () => scanner()(`${path}/${document.id}/complete`)

    const early = await complete()
    await put(upload)
    const wrong = await complete()

    expect([outcome(early), outcome(wrong)]).toEqual([
      [409, 'UPLOAD_INCOMPLETE'],
      [422, 'UPLOAD_MISMATCH'],
    ])
  })

  it.each([
    ['plain text', { mime_type: 'text/plain', filename: 'a.txt' }, [415, 'UNSUPPORTED_MEDIA_TYPE']],
    ['an executable', { mime_type: 'application/x-msdownload' }, [415, 'UNSUPPORTED_MEDIA_TYPE']],
    ['nothing', { size_bytes: 0 }, [400, 'VALIDATION_ERROR']],
    ['more than 200 MiB', { size_bytes: 200 * 1024 * 1024 + 1 }, [413, 'PAYLOAD_TOO_LARGE']],
    ['metadata that are a list', { metadata: '[1]' }, [400, 'VALIDATION_ERROR']],
    ['metadata of 9 000 characters', { metadata: { a: 'ü'.repeat(9_000) } }, [400, 'VALIDATION_ERROR']],
    [
      'an unknown folder',
      { folder_id: 'fld_01993f5e-0000-7000-8000-000000000000' },
      [404, 'FOLDER_NOT_FOUND'],
    ],
  ])('is refused to announce %s', async (_, changes, expected) => {
    expect(outcome(await scanner()(path, announcement(changes)))).toEqual(expected)
  })

  it.each([
    ['a list', ['Scanner']],
    ['a list as text', '["Scanner"]'],
    ['a number', 3],
    ['a text', 'Scanner'],
  ])('gets an example if the metadata are %s', async (_, metadata) => {
    const { body } = await scanner()(path, announcement({ metadata }))

    expect(body.error.details).toEqual([
      { path: 'body.metadata', message: expect.stringMatching(/one JSON object, such as `\{"/) },
    ])
  })

  it('needs the token of now: none, another, an API key and a rotated one are 401', async () => {
    const rotating = await newFirm()
    const old = scanner(rotating)
    const before = await old(path, announcement())
    const { token } = (await rotating.owner('POST', '/api/v1/workspace/webhooks/rotate')).body

    const answers = await Promise.all([
      by(undefined)(path, announcement()),
      by('')(path, announcement()),
      by('falsch')(path, announcement()),
      firm.owner('POST', path, { body: announcement() }),
      old(path, announcement()),
      old(`${path}/${before.body.document.id}/complete`),
    ])
    const renewed = await by(token)(path, announcement())

    expect(before.status).toBe(201)
    expect(answers.map(outcome)).toEqual(Array(6).fill([401, 'WEBHOOK_TOKEN_INVALID']))
    expect(renewed.status).toBe(201)
  })

  it('may use a token that is older than this interface, once somebody has looked it up', async () => {
    const older = await newFirm()
    const tokens = webhookTokenEntity(await sharedTable())
    await tokens.delete({ token_sha256: hexDigest(older.workspace.webhook_token) }).go()

    const unknown = await scanner(older)(path, announcement())
    const { token } = (await older.owner('GET', '/api/v1/workspace/webhooks')).body
    const known = await by(token)(path, announcement())

    expect([outcome(unknown), known.status]).toEqual([[401, 'WEBHOOK_TOKEN_INVALID'], 201])
  })
})
