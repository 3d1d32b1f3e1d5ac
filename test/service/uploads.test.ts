import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { corpus, settled } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const bytes = corpus('schriftsatz.pdf')
const sha256 = createHash('sha256').update(bytes).digest('hex')
const announce = (changes: object = {}) =>
  firm.owner('POST', '/api/v1/documents/uploads', {
    body: { filename: 'Anlage K 1.pdf', mime_type: 'application/pdf', size_bytes: bytes.length, ...changes },
  })
type Upload = { method: string; url: string; headers: Record<string, string> }
const put = (upload: Upload, body: Uint8Array<ArrayBuffer> | string = bytes) =>
  fetch(upload.url, { method: upload.method, headers: upload.headers, body })
const complete = (id: string, by = firm) => by.owner('POST', `/api/v1/documents/${id}/complete`)
const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]

describe('an announced upload', () => {
  it('goes around the gateway and becomes a document like any other', async () => {
    const kase = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Groß' } })).body

    const announced = await announce({ case_id: kase.id, sha256 })
    const { document, upload } = announced.body
    const stored = await put(upload)
    const completed = await complete(document.id)
    const again = await complete(document.id)
    const read = await settled(firm.owner, document.id)
    const file = await firm.owner('GET', `/api/v1/documents/${document.id}/download`)
    const timeline = await firm.owner('GET', `/api/v1/cases/${kase.id}/timeline`)

    expect(announced.status).toBe(201)
    expect(document).toMatchObject({
      status: 'pending',
      filename: 'Anlage K 1.pdf',
      size_bytes: bytes.length,
    })
    expect(upload).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'application/pdf' } })
    expect(Date.parse(upload.expires_at)).toBeGreaterThan(epochMilliseconds())
    expect(stored.status).toBe(200)
    expect([completed.status, completed.body.sha256]).toEqual([200, sha256])
    expect([again.status, again.body.id]).toEqual([200, document.id])
    expect(read).toMatchObject({ status: 'processed', page_count: 3 })
    expect(file.bytes).toEqual(bytes)
    expect(timeline.body.data.map(({ type }: { type: string }) => type)).toEqual([
      'document.created',
      'case.created',
    ])
  })

  it('takes a file far over the limit of a form', async () => {
    const large = new Uint8Array(30 * 1024 * 1024).fill(0x61)
    const { body } = await announce({ mime_type: 'text/plain', size_bytes: large.length })

    await put(body.upload, large)
    const completed = await complete(body.document.id)
    const file = await firm.owner('GET', `/api/v1/documents/${body.document.id}/download`)

    expect(completed.status).toBe(200)
    expect(file.bytes.length).toBe(large.length)
  })

  it('signs the size and the type, so that S3 refuses others', async () => {
    const { body } = await announce()

    const signed = new URL(body.upload.url).searchParams.get('X-Amz-SignedHeaders')

    expect(signed?.split(';')).toEqual(['content-length', 'content-type', 'host'])
    expect(body.upload.url).not.toMatch(/checksum/i)
  })

  it('is not there before its bytes are', async () => {
    const { document } = (await announce()).body
    const path = `/api/v1/documents/${document.id}`

    expect(outcome(await complete(document.id))).toEqual([409, 'UPLOAD_INCOMPLETE'])
    expect(outcome(await firm.owner('GET', `${path}/download`))).toEqual([409, 'UPLOAD_INCOMPLETE'])
    expect(outcome(await firm.owner('POST', `${path}/extract`))).toEqual([409, 'UPLOAD_INCOMPLETE'])
    expect((await firm.owner('GET', path)).body.sha256).toBeNull()
  })

  it.each([
    ['of another type', { size_bytes: 7 }, 'nur was'],
    ['with another checksum', { sha256: '0'.repeat(64) }, bytes],
    ['of no accepted type', { size_bytes: 4, mime_type: 'text/plain' }, 'MZ\u0000\u0001'],
  ])('%s is a mismatch, and its bytes are removed', async (_, changes, sent) => {
    const { document, upload } = (await announce(changes)).body
    await put(upload, sent)

    const refused = await complete(document.id)
    const after = await complete(document.id)

    expect(outcome(refused)).toEqual([422, 'UPLOAD_MISMATCH'])
    expect(outcome(after)).toEqual([409, 'UPLOAD_INCOMPLETE'])
  })

  it.each([
    ['fewer', 'kürzer'],
    ['more', 'länger'.repeat(bytes.length)],
    ['none', ''],
  ])('%s bytes than announced are not stored', async (_, sent) => {
    const { document, upload } = (await announce()).body

    const refused = await put(upload, sent)

    expect(refused.status).toBe(403)
    expect(outcome(await complete(document.id))).toEqual([409, 'UPLOAD_INCOMPLETE'])
  })

  it('can be sent again after a refusal', async () => {
    const { document, upload } = (await announce()).body
    await put(upload, 'falsch')
    await complete(document.id)
    await put(upload)

    expect((await complete(document.id)).status).toBe(200)
    expect((await settled(firm.owner, document.id)).status).toBe('processed')
  })

  it('completed twenty times at once is one document with one timeline entry', async () => {
    const kase = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Zwanzigmal' } })).body
    const { document, upload } = (await announce({ case_id: kase.id })).body
    await put(upload)

    const answers = await Promise.all(Array.from({ length: 20 }, () => complete(document.id)))
    const read = await settled(firm.owner, document.id)
    const { body } = await firm.owner('GET', `/api/v1/cases/${kase.id}/timeline`)

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(read.status).toBe('processed')
    expect(body.data).toHaveLength(2)
  })

  it('that is renamed, moved or deleted before its bytes are there is in no timeline', async () => {
    const open = async () =>
      (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Ohne Bytes' } })).body
    const [here, there] = [await open(), await open()]
    const { document } = (await announce({ case_id: here.id })).body
    const path = `/api/v1/documents/${document.id}`

    await firm.owner('PATCH', path, { body: { filename: 'Anlage K 2.pdf' } })
    await firm.owner('POST', `${path}/assign`, { body: { case_id: there.id } })
    const deleted = await firm.owner('DELETE', path)

    expect(deleted.status).toBe(204)
    for (const { id } of [here, there]) {
      const { body } = await firm.owner('GET', `/api/v1/cases/${id}/timeline`)
      expect(body.data.map(({ type }: { type: string }) => type)).toEqual(['case.created'])
    }
  })

  it('cannot be completed by another workspace', async () => {
    const { document, upload } = (await announce()).body
    await put(upload)

    expect(outcome(await complete(document.id, stranger))).toEqual([404, 'DOCUMENT_NOT_FOUND'])
  })

  it.each([
    [{ size_bytes: 200 * 1024 * 1024 + 1 }, 413],
    [{ size_bytes: 0 }, 400],
    [{ size_bytes: 1.5 }, 400],
    [{ mime_type: 'application/zip' }, 415],
    [{ mime_type: null }, 400],
    [{ sha256: 'ABC' }, 400],
    [{ filename: 'a'.repeat(501) }, 400],
    [{ case_id: 'unsinn' }, 404],
    [{ folder_id: 'unsinn' }, 404],
    [{ party_ids: ['unsinn'] }, 404],
  ])('announced with %j answers %i', async (changes, status) => {
    expect((await announce(changes)).status).toBe(status)
  })

  it('of 200 MiB is taken, and its mime_type in other words', async () => {
    expect((await announce({ size_bytes: 200 * 1024 * 1024 })).status).toBe(201)
    expect((await announce({ mime_type: 'image/jpg' })).body.document.mime_type).toBe('image/jpeg')
    expect((await announce({ mime_type: 'Text/Plain; charset=utf-8' })).body.document.mime_type).toBe(
      'text/plain',
    )
  })
})
