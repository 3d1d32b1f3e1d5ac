import { beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '#kernel/id.ts'
import { arrived, newCase } from '#test/support/arriving-mail.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, send, sentTo } from '#test/support/sent-mail.ts'

/** `GET /api/v1/inbox/document/{id}/related` (I7). */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const related = (id: string, by = firm) => by.owner('GET', `/api/v1/inbox/document/${id}/related`)
const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)
const attached = (number: number) => ({
  filename: `Brief ${number}.txt`,
  content: `Brief ${crypto.randomUUID()}`,
})
const documentIn = async (case_id: string, by = firm) =>
  (await upload(by.owner, {}, { case_id })).body.id as string

describe('what is related to a document', () => {
  it('is its mail, other mail of the same sender, and the other attachments, newest first', async () => {
    // Prepare
    const from = newAddress()
    const earlier = await arrived(firm, { from, subject: 'Früher' })
    const mail = await arrived(firm, {
      from: `Max <${from.toUpperCase()}>`,
      attachments: [attached(1), attached(2)],
    })
    const [first, second] = mail.attachments.map((one: { document_id: string }) => one.document_id)

    // Act
    const { status, body } = await related(first)

    // Assess
    expect(status).toBe(200)
    expect(body.emails).toEqual([
      { id: mail.id, subject: mail.subject, from: mail.from, received_at: mail.received_at },
      { id: earlier.id, subject: 'Früher', from: earlier.from, received_at: earlier.received_at },
    ])
    expect(body.documents).toEqual([{ id: second, filename: 'Brief 2.txt', case_id: null }])
  })

  it('is mail and documents of its case, sent mail as well, without itself', async () => {
    const case_id = await newCase(firm)
    const first = await documentIn(case_id)
    const second = await documentIn(case_id)
    const { id } = (await send(firm.owner, { to: [newAddress()], case_id })).body

    const { body } = await related(first)

    expect(idsOf(body.emails)).toEqual([id])
    expect(idsOf(body.documents)).toEqual([second])
    expect(body.documents[0].case_id).toBe(case_id)
  })

  it('is the mail of its thread, from others too', async () => {
    const to = newAddress()
    const ours = (await send(firm.owner, { to: [to], subject: 'Entwurf' })).body
    const [message] = await sentTo(to)
    const inReplyTo = message?.mail.messageId ?? ''
    const mail = await arrived(firm, { from: newAddress(), inReplyTo, attachments: [attached(1)] })

    const { body } = await related(mail.attachments[0].document_id)

    expect(idsOf(body.emails)).toEqual([mail.id, ours.id])
  })

  it('is documents with the same bytes', async () => {
    const bytes = `Gleich ${crypto.randomUUID()}`
    const first = (await upload(firm.owner, { bytes })).body.id
    const second = (await upload(firm.owner, { bytes, filename: 'Kopie.txt' })).body.id

    // Documents are filed under their digests by a job; if it fails, the sweeper repeats it.
    await vi.waitFor(async () => expect(idsOf((await related(first)).body.documents)).toEqual([second]), {
      timeout: 100_000,
      interval: 200,
    })
    expect((await related(first)).body.emails).toEqual([])
  })

  it('is twenty of each, the newest', async () => {
    const by = await newFirm()
    const case_id = await newCase(by)
    const ids: string[] = []
    for (let at = 0; at < 23; at += 1) ids.push(await documentIn(case_id, by))

    const { body } = await related(ids[22] ?? '', by)

    expect(idsOf(body.documents)).toEqual(ids.slice(2, 22).toReversed())
  })

  it('is never of another firm', async () => {
    // Prepare
    const stranger = await newFirm()
    const from = newAddress()
    const content = `Derselbe Brief ${crypto.randomUUID()}`
    const attachments = [{ filename: 'Brief.txt', content }]
    await arrived(stranger, { from, attachments })
    const mail = await arrived(firm, { from, attachments })

    // Act
    const { body } = await related(mail.attachments[0].document_id)

    // Assess
    expect(idsOf(body.emails)).toEqual([mail.id])
    expect(body.documents).toEqual([])
    expect((await related(mail.attachments[0].document_id, stranger)).body.error.code).toBe(
      'DOCUMENT_NOT_FOUND',
    )
  })

  it('is nothing of a document that does not exist or was deleted', async () => {
    const deleted = (await upload(firm.owner)).body.id
    await firm.owner('DELETE', `/api/v1/documents/${deleted}`)

    const answers = await Promise.all([related(deleted), related(newId('document')), related('x')])

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(3).fill([404, 'DOCUMENT_NOT_FOUND']),
    )
  })

  it('is found with an id without its prefix', async () => {
    const id: string = (await upload(firm.owner)).body.id

    expect((await related(id.slice('doc_'.length))).status).toBe(200)
  })
})
