import { beforeAll, describe, expect, it } from 'vitest'
import { mailMilliseconds, readingBudgets } from '#store/documents/reading-budget.ts'
import { corpus, settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { rawMail } from '#test/support/inbound-mail.ts'
import { receiving } from '#test/support/receiving.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const readAgain = (id: string, by = firm.owner, headers = {}) =>
  by('POST', `/api/v1/documents/${id}/read-again`, { headers })
const eventsOf = async (id: string): Promise<string[]> =>
  (await firm.owner('GET', '/api/v1/webhooks/events?type=document.*&limit=100')).body.data.flatMap(
    (one: { type: string; data: { id: string } }) => (one.data.id === id ? [one.type] : []),
  )

describe('a document that is read again', () => {
  it('is pending until it is read, and has its text again', async () => {
    const { body } = await upload(firm.owner, { bytes: corpus('schriftsatz.pdf'), filename: 'Klage.pdf' })
    const before = await settled(firm.owner, body.id)

    const asked = await readAgain(body.id)
    const after = await settled(firm.owner, body.id)
    const text = await firm.owner('POST', `/api/v1/documents/${body.id}/extract`)

    expect([asked.status, asked.body.status, asked.body.extracted_text_length]).toEqual([
      200,
      'pending',
      null,
    ])
    expect(after).toEqual({ ...before, updated_at: after.updated_at })
    expect(text.body.page_count).toBe(3)
    await expect
      .poll(() => eventsOf(body.id), { timeout: 60_000 })
      .toEqual(['document.created', 'document.processed', 'document.updated', 'document.processed'])
  })

  it('fails again for the same reason if nothing has changed', async () => {
    const { body } = await upload(firm.owner, { bytes: corpus('abgeschnitten.pdf'), filename: 'Klage.pdf' })
    const before = await settled(firm.owner, body.id)

    const asked = await readAgain(body.id)

    expect([before.status, asked.body.status, asked.body.status_reason]).toEqual(['failed', 'pending', null])
    expect(await settled(firm.owner, body.id)).toMatchObject({
      status: 'failed',
      status_reason: before.status_reason,
    })
  })

  it('is still as it was if somebody has changed it since it was seen', async () => {
    const { body } = await upload(firm.owner, { bytes: corpus('schriftsatz.pdf'), filename: 'Klage.pdf' })
    const before = await settled(firm.owner, body.id)

    const { status } = await readAgain(body.id, firm.owner, { 'If-Match': '"earlier"' })

    expect(status).toBe(412)
    expect(await settled(firm.owner, body.id)).toEqual(before)
  })

  it('has time, also if the documents of its mail had used up theirs, unless the request is refused', async () => {
    const { receive, judged } = await receiving(firm)
    const bytes = corpus('schriftsatz.pdf')
    const mail = await receive(
      Buffer.from(rawMail({ files: [{ name: 'Klage.pdf', type: 'application/pdf', bytes }] })),
    )
    const document_id = (await judged(mail)).attachments[0]?.document_id ?? ''
    Object.assign(process.env, sharedService().environment)
    const { foundation } = await import('#foundation/foundation.ts')
    const budget = readingBudgets(foundation('test')).of(firm.workspace.id, mail)
    await budget.take(mailMilliseconds)

    const before = await budget.take(1_000)
    const { status } = await readAgain(document_id, firm.owner, { 'If-Match': '"earlier"' })
    const refused = await budget.take(1_000)
    await readAgain(document_id)

    expect([before, status, refused, await budget.take(1_000)]).toEqual([false, 412, false, true])
  })

  it('must have arrived, and belong to the firm', async () => {
    const announced = await firm.owner('POST', '/api/v1/documents/uploads', {
      body: { filename: 'a.txt', mime_type: 'text/plain', size_bytes: 9 },
    })
    const { id } = announced.body.document

    const [early, foreign] = [await readAgain(id), await readAgain(id, stranger.owner)]

    expect([early.status, early.body.error.code]).toEqual([409, 'UPLOAD_INCOMPLETE'])
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'DOCUMENT_NOT_FOUND'])
  })
})
