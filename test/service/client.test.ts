import { beforeAll, describe, expect, it } from 'vitest'
import { AktenlageError, type Client, createClient } from '#client/client.ts'
import { corpus, form } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sendEnvelope } from '#test/support/signing.ts'

/** Our client in Node, against the service: what is more than JSON for holders of an API key. */
let firm: Firm
let office: Client
let anybody: Client
beforeAll(async () => {
  firm = await newFirm()
  const { key } = await firm.colleague()
  office = createClient({ baseUrl: firm.baseUrl, apiKey: key })
  anybody = createClient({ baseUrl: firm.baseUrl })
})

const contract = corpus('vertrag.pdf')

it('a document that was uploaded is downloaded byte for byte, whole, in part and as a stream', async () => {
  const file = form({ file: { bytes: contract, filename: 'Verträge & mehr.pdf' } })
  const { id } = await office.uploadDocument({ body: file })
  const params = { id }

  const whole = await office.downloadDocument({ params })
  const part = await office.downloadDocument({ params, range: 'bytes=0-7' })
  const { stream } = await office.downloadDocument({ params })

  expect(whole).toMatchObject({
    filename: 'Verträge & mehr.pdf',
    type: 'application/pdf',
    size: contract.length,
  })
  expect(Buffer.from(await whole.bytes()).equals(contract)).toBe(true)
  expect([part.contentRange, await part.text()]).toEqual([
    `bytes 0-7/${contract.length}`,
    Buffer.from(contract.subarray(0, 8)).toString('latin1'),
  ])
  expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(contract)).toBe(true)
  const again = office.downloadDocument({ params, ifNoneMatch: whole.etag ?? '' })
  await expect(again).rejects.toMatchObject({ code: 'NOT_MODIFIED' })
})

it('an announced upload takes the bytes at the address that it names', async () => {
  const announced = await office.announceUpload({
    body: { filename: 'Vertrag.pdf', size_bytes: contract.length, mime_type: 'application/pdf' },
  })
  const { url, method, headers } = announced.upload
  await fetch(url, { method, headers, body: contract })

  const { id } = await office.completeUpload({ params: { id: announced.document.id } })

  const download = await office.downloadDocument({ params: { id } })
  expect(Buffer.from(await download.bytes()).equals(contract)).toBe(true)
})

it('the register of a day comes as JSON, as a table and as a page', async () => {
  const request = { query: { date: '2026-03-16' } }

  const register = await office.getDeadlineRegister(request)
  const table = await office.getDeadlineRegister.as('text/csv', request)
  const page = await office.getDeadlineRegister.as('text/html', request)

  expect(register).toMatchObject({ date: '2026-03-16', workspace: { id: firm.workspace.id } })
  expect([table.filename, table.type]).toEqual([
    expect.stringMatching(/2026-03-16.*\.csv$/),
    expect.stringContaining('text/csv'),
  ])
  expect(await table.text()).toMatch(/^section,at,actor,/)
  expect([page.type, await page.text()]).toEqual([
    expect.stringContaining('text/html'),
    expect.stringMatching(/^<!doctype html>/i),
  ])
})

it('the calendar feed is read with its token, and not again while nothing changes', async () => {
  const { url } = await office.createIcalToken()
  const query = { token: new URL(url ?? '').searchParams.get('token') ?? '' }

  const feed = await anybody.getCalendarFeed.withEtag({ query })

  expect(feed.answer).toMatch(/^BEGIN:VCALENDAR\r\n.*END:VCALENDAR\r\n$/s)
  const again = anybody.getCalendarFeed({ query, ifNoneMatch: feed.etag })
  await expect(again).rejects.toMatchObject({ status: 304, code: 'NOT_MODIFIED' })
})

it('another system pushes a document with the token of the webhook', async () => {
  const { id, webhook_token } = firm.workspace
  const push = (xServiceToken: string) =>
    anybody.pushDocument({
      params: { tenant_id: id },
      body: form({ file: { bytes: contract, filename: 'Ladung.pdf' } }),
      xServiceToken,
    })

  const pushed = await push(webhook_token)

  const { data } = await office.listDocuments()
  expect(data.map((document) => document.id)).toContain(`doc_${pushed.document_id}`)
  await expect(push('wrong')).rejects.toMatchObject({ status: 401, code: 'WEBHOOK_TOKEN_INVALID' })
})

describe('the actions of a signer', () => {
  it('is done with the code and the cookie of the link, up to the sealed copy', async () => {
    const signers = [{ name: 'Anna Meier', access_code: 'Ahorn-27' }]
    const envelope = await sendEnvelope(firm, { signers })
    const params = { token: await envelope.link() }
    const send = (fields: Record<string, string> = {}) => ({ params, body: new URLSearchParams(fields) })

    const locked = await anybody.openForSigning(send()).catch((error: unknown) => error)
    const { location, cookie = '' } = await anybody.enterAccessCode(send({ code: 'Ahorn-27' }))
    const withCode = { headers: { Cookie: cookie } }
    await anybody.openForSigning(send(), withCode)
    const pages = [await anybody.getSignerPage({ params }), await anybody.getSignerPage({ params }, withCode)]
    const sigdoc_id = envelope.documents[0]?.id ?? ''
    const document = await anybody.readDocumentToSign({ params: { ...params, sigdoc_id } }, withCode)
    await anybody.signEnvelope(send({ name: 'Anna Meier', consent: 'yes' }), withCode)
    await envelope.untilCompleted()
    const copy = await anybody.readSealedCopy({ params: { ...params, sigdoc_id } }, withCode)

    expect(locked).toBeInstanceOf(AktenlageError)
    expect(locked).toMatchObject({ status: 403, code: 'ACCESS_CODE_REQUIRED' })
    expect(location).toBe(`${firm.baseUrl}/sign/${params.token}`)
    expect(pages.map((page) => page.includes('Vollmacht.txt'))).toEqual([false, true])
    expect([document.filename, await document.text()]).toEqual(['Vollmacht.txt', 'Vollmacht'])
    expect(copy.type).toBe('application/pdf')
    expect(await copy.text()).toMatch(/^%PDF/)
  })

  it('is declined with a reason', async () => {
    const envelope = await sendEnvelope(firm)
    const params = { token: await envelope.link() }
    await anybody.openForSigning({ params, body: new URLSearchParams() })

    await anybody.declineEnvelope({ params, body: new URLSearchParams({ reason: 'Zu teuer.' }) })

    const declined = await envelope.get()
    expect(declined.status).toBe('declined')
    expect(JSON.stringify(declined)).toContain('Zu teuer.')
  })

  it('is verified by anybody', async () => {
    expect(await anybody.verifySealedFile({ body: { sha256: 'a'.repeat(64) } })).toEqual({ known: false })
    expect(await anybody.getVerifyPage({ query: { sha256: 'a'.repeat(64) } })).toMatch(/^<!doctype html>/i)
  })
})
