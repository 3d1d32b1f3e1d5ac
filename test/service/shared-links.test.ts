import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, send, sentTo } from '#test/support/sent-mail.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const anybody = (...asked: Parameters<ReturnType<typeof api>>) => api(firm.baseUrl, undefined)(...asked)
const html = { Accept: 'text/html' }

/** Sends documents as links, in a case, and reads the address from the mail as its reader does. */
async function share(by = firm) {
  const kase = (await by.owner('POST', '/api/v1/cases', { body: { name: 'Freigabe' } })).body
  const bytes = `Inhalt ${crypto.randomUUID()}`
  const one = (await upload(by.owner, { bytes, filename: 'Akte <1> & "Anlage".txt' })).body
  const two = (await upload(by.owner, { filename: 'Zwei.txt' })).body
  const to = newAddress()
  const sent = { to: [to], case_id: kase.id, attachments: [one.id, two.id], attachments_as: 'links' }
  const { id } = (await send(by.owner, sent)).body
  const [message] = await sentTo(to)
  const [, path = ''] = /href="[^"]*(\/shared\/[\w-]+)"/.exec(message?.mail.html ?? '') ?? []
  const downloads = async () =>
    (await by.owner('GET', `/api/v1/cases/${kase.id}/timeline`)).body.data.filter(
      ({ type }: { type: string }) => type === 'mail.document_downloaded',
    )
  return { id, one, two, bytes, message, path, downloads }
}

describe('documents that are sent as links', () => {
  it('are not in the mail, which holds the addresses instead, in HTML and text', async () => {
    const { message, path } = await share()

    expect(message?.mail.attachments).toEqual([])
    expect(message?.mail.html).toContain('Zwei.txt')
    expect(message?.mail.html).toContain(`${firm.baseUrl}${path}`)
    expect(message?.mail.text).toContain(path)
    expect(path).toMatch(/^\/shared\/[\w-]{43}$/)
  })

  it('stand on a page that loads nothing, tells nobody its address, and is in no search engine', async () => {
    const { path, one, two } = await share()

    const { status, headers, body } = await anybody('GET', path, { headers: html })

    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('content-security-policy')).not.toContain('unsafe')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-robots-tag')).toContain('noindex')
    expect(body).toContain('lang="de"')
    expect(body).toContain('Kanzlei im Test')
    expect(body).toContain(one.id)
    expect(body).toContain(two.id)
    expect(body).not.toContain('<1>')
    expect(body).not.toMatch(/<script|src=|https?:\/\//)
  })

  it('can be fetched for 30 days, as the page and the mail say', async () => {
    const { id, path, message } = await share()
    const { created_at } = (await firm.owner('GET', `/api/v1/correspondence/${id}`)).body
    const last = new Date(Date.parse(created_at) + 30 * 86_400_000)
    const dayIn = (dateStyle: 'long' | 'medium') =>
      new Intl.DateTimeFormat('de-DE', { dateStyle, timeZone: 'Europe/Berlin' }).format(last)

    const page = await anybody('GET', path, { headers: html })

    expect(page.body).toContain(`bis zum ${dayIn('long')}`)
    expect(message?.mail.text).toContain(`bis ${dayIn('medium')}`)
  })

  it('have an English page for readers who prefer it', async () => {
    const { path } = await share()

    const { body } = await anybody('GET', path, { headers: { ...html, 'Accept-Language': 'en-GB' } })

    expect(body).toContain('lang="en"')
    expect(body).toContain('Documents from Kanzlei im Test')
  })

  it('are downloaded byte for byte, each download as one entry of the case by somebody outside', async () => {
    const { path, one, bytes, downloads } = await share()

    const file = await anybody('GET', `${path}/documents/${one.id}`)
    const again = await anybody('GET', `${path}/documents/${one.id}`)

    expect([file.status, new TextDecoder().decode(file.bytes)]).toEqual([200, bytes])
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(file.headers.get('referrer-policy')).toBe('no-referrer')
    expect(file.headers.get('cache-control')).toBe('no-store')
    expect(again.status).toBe(200)
    const entries = await downloads()
    expect(entries).toHaveLength(2)
    expect(entries[0]).toMatchObject({ actor: { type: 'external' }, ref: { type: 'document', id: one.id } })
    expect(entries[0].summary).toContain(one.filename)
  })

  it('are not recorded when somebody looks at the page or asks for heads', async () => {
    const { path, one, downloads } = await share()

    const page = await anybody('GET', path, { headers: html })
    const head = await anybody('HEAD', path, { headers: html })
    await fetch(`${firm.baseUrl}${path}/documents/${one.id}`, { method: 'HEAD' })

    expect([page.status, head.status]).toEqual([200, 200])
    expect(await downloads()).toEqual([])
  })

  it('are recorded too where only a part is fetched, so that nobody has a document in secret', async () => {
    const { path, one, bytes, downloads } = await share()

    const rest = await anybody('GET', `${path}/documents/${one.id}`, { headers: { Range: 'bytes=1-' } })

    expect([rest.status, new TextDecoder().decode(rest.bytes)]).toEqual([206, bytes.slice(1)])
    const [entry, ...others] = await downloads()
    expect(others).toEqual([])
    expect(entry.summary).toContain(`Weiterer Teil von Dokument „${one.filename}“`)
  })

  it('have addresses that only the mail holds: neither its record, which needs no right to documents, nor a forward', async () => {
    const { id, path, one } = await share()
    const reader = await firm.withScopes('inbox:read')

    const record = (await reader('GET', `/api/v1/correspondence/${id}`)).body
    const body = { correspondence_id: id }
    const forwarded = (await firm.owner('POST', `${outbound}/forward-envelope`, { body })).body

    const token = path.replace('/shared/', '')
    expect(token).toHaveLength(43)
    for (const text of [record.body_html, record.body_text, forwarded.body_html]) {
      expect(text).not.toContain(token)
      expect(text).toContain('Zwei.txt')
    }
    expect(record.attachments.map(({ document_id }: { document_id: string }) => document_id)).toContain(
      one.id,
    )
  })

  it('that were deleted are no longer there', async () => {
    const { path, one, two, downloads } = await share()
    await firm.owner('DELETE', `/api/v1/documents/${one.id}`)

    const page = await anybody('GET', path, { headers: html })
    const file = await anybody('GET', `${path}/documents/${one.id}`, { headers: html })

    expect(page.body).not.toContain(one.id)
    expect(page.body).toContain(two.id)
    expect([file.status, file.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await downloads()).toEqual([])
  })

  it('are all that the link opens: no other document, of this firm or another', async () => {
    const [{ path }, other, foreign] = [await share(), await share(), await share(stranger)]

    for (const { one } of [other, foreign])
      expect((await anybody('GET', `${path}/documents/${one.id}`, { headers: html })).status).toBe(404)
  })

  it.each([
    'x',
    'A'.repeat(43),
    '..%2f..',
    '%00',
  ])('have a page with 404 for the unknown token %s', async (token) => {
    const { status, headers, body } = await anybody('GET', `/shared/${token}`, { headers: html })

    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(body).toContain('abgelaufen')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})
