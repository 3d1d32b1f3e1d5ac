import PostalMime from 'postal-mime'
import { beforeAll, describe, expect, it } from 'vitest'
import { hexDigest } from '#kernel/hex-digest.ts'
import { allItemsOf } from '#store/pages-of.ts'
import { api } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, outbound, send, sentTo } from '#test/support/sent-mail.ts'
import { sharedTable } from '#test/support/table.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const anybody = (...asked: Parameters<ReturnType<typeof api>>) => api(firm.baseUrl, undefined)(...asked)
const html = { Accept: 'text/html' }

/** The address that a mail holds of its documents. */
const pathIn = (message: Awaited<ReturnType<typeof sentTo>>[number] | undefined): string =>
  /href="[^"]*(\/shared\/[\w-]+)"/.exec(message?.mail.html ?? '')?.[1] ?? ''

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
  const path = pathIn(message)
  const downloads = async () =>
    (await by.owner('GET', `/api/v1/cases/${kase.id}/timeline`)).body.data.filter(
      ({ type }: { type: string }) => type === 'mail.document_downloaded',
    )
  return { id, kase, one, two, bytes, message, path, downloads }
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

  it('leave the table when the lists expire by which a disposal finds them', async () => {
    const { id, path } = await share()
    const { created_at } = (await firm.owner('GET', `/api/v1/correspondence/${id}`)).body
    const link = `shared_link#${hexDigest(path.replace('/shared/', ''))}`
    const lists = `${firm.workspace.id}#shared_links#${id}`
    const db = await sharedTable()

    const found = await Promise.all([link, lists].map((pk) => allItemsOf(db, pk)))

    const expires = Math.ceil(Date.parse(created_at) / 1_000) + 30 * 86_400
    expect(found.flat().map(({ ttl }) => ttl)).toEqual([expires, expires])
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

  it('can be fetched for 30 days, and the page and the mail say until when, to the minute', async () => {
    const { id, path, message } = await share()
    const { created_at } = (await firm.owner('GET', `/api/v1/correspondence/${id}`)).body
    const last = new Date(Date.parse(created_at) + 30 * 86_400_000)
    const momentIn = (dateStyle: 'long' | 'medium') =>
      new Intl.DateTimeFormat('de-DE', { dateStyle, timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(
        last,
      )

    const page = await anybody('GET', path, { headers: html })

    expect(page.body).toContain(`bis zum ${momentIn('long')} Uhr`)
    expect(message?.mail.text).toContain(`bis ${momentIn('medium')} Uhr`)
  })

  it('have an English page for readers who prefer it', async () => {
    const { path } = await share()

    const { body } = await anybody('GET', path, { headers: { ...html, 'Accept-Language': 'en-GB' } })

    expect(body).toContain('lang="en"')
    expect(body).toContain('Documents from Kanzlei im Test')
  })

  it('are downloaded byte for byte, and recorded once in an hour in the case as by somebody outside', async () => {
    const { path, one, bytes, downloads } = await share()

    const file = await anybody('GET', `${path}/documents/${one.id}`)
    const again = await anybody('GET', `${path}/documents/${one.id}`)

    expect([file.status, new TextDecoder().decode(file.bytes)]).toEqual([200, bytes])
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(file.headers.get('referrer-policy')).toBe('no-referrer')
    expect(file.headers.get('cache-control')).toBe('no-store')
    expect(again.status).toBe(200)
    const entries = await downloads()
    expect(entries).toHaveLength(1)
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

  it('are recorded too if only a part is fetched, so that nobody gets a document in secret', async () => {
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

describe('the links of a mail', () => {
  const linksOf = (path: string, by = firm.owner) => by('GET', `/api/v1/${path}/shared-links`)
  const end = (path: string, by = firm.owner) => by('DELETE', `/api/v1/${path}`)
  const statusOf = async (path: string) => (await anybody('GET', path, { headers: html })).status

  it('are listed with it and with each of its documents, without their token', async () => {
    const { id, kase, one, two, path } = await share()

    const ofMail = await linksOf(`correspondence/${id}`)
    const ofOne = await linksOf(`documents/${one.id}`)
    const ofTwo = await linksOf(`documents/${two.id}`)

    expect(ofMail.body.data).toMatchObject([
      {
        correspondence_id: id,
        case_id: kase.id,
        documents: [
          { document_id: one.id, filename: one.filename },
          { document_id: two.id, filename: 'Zwei.txt' },
        ],
      },
    ])
    expect([ofOne.body.data, ofTwo.body.data]).toEqual([ofMail.body.data, ofMail.body.data])
    expect(JSON.stringify(ofMail.body)).not.toContain(path.replace('/shared/', ''))
  })

  it('of a document come from all mails with it, newest first, in pages', async () => {
    const document = (await upload(firm.owner, { filename: 'Gutachten.txt' })).body
    const mails: string[] = []
    for (let count = 0; count < 3; count += 1) {
      const sent = { to: [newAddress()], attachments: [document.id], attachments_as: 'links' }
      mails.push((await send(firm.owner, sent)).body.id)
    }
    const path = `/api/v1/documents/${document.id}/shared-links?limit=2`

    const first = (await firm.owner('GET', path)).body
    const second = (await firm.owner('GET', `${path}&cursor=${first.pagination.cursor}`)).body

    const found = [...first.data, ...second.data].map(({ correspondence_id }) => correspondence_id)
    expect(found).toEqual(mails.toReversed())
  })

  it('open nothing once they are ended, and are listed no more; the case has an entry', async () => {
    const { id, kase, one, path } = await share()
    const [link] = (await linksOf(`correspondence/${id}`)).body.data

    const ended = await end(`correspondence/${id}/shared-links/${link.id}`)
    const again = await end(`correspondence/${id}/shared-links/${link.id}`)

    expect([ended.status, again.status, again.body.error.code]).toEqual([204, 404, 'SHARED_LINK_NOT_FOUND'])
    expect([await statusOf(path), await statusOf(`${path}/documents/${one.id}`)]).toEqual([404, 404])
    expect((await linksOf(`correspondence/${id}`)).body.data).toEqual([])
    expect((await linksOf(`documents/${one.id}`)).body.data).toEqual([])
    const { data } = (await firm.owner('GET', `/api/v1/cases/${kase.id}/timeline`)).body
    expect(data.filter(({ type }: { type: string }) => type === 'mail.link_ended')).toMatchObject([
      { actor: { type: 'user' }, ref: { type: 'correspondence', id } },
    ])
  })

  it('still open the other documents where one is taken out, and end with the last', async () => {
    const { id, one, two, path } = await share()
    const [link] = (await linksOf(`correspondence/${id}`)).body.data

    await end(`documents/${one.id}/shared-links/${link.id}`)
    const between = [
      await statusOf(path),
      await statusOf(`${path}/documents/${one.id}`),
      await statusOf(`${path}/documents/${two.id}`),
    ]
    await end(`documents/${two.id}/shared-links/${link.id}`)

    expect(between).toEqual([200, 404, 200])
    expect(await statusOf(path)).toBe(404)
  })

  it('lose both documents where both are taken out at once', async () => {
    const { id, one, two, path } = await share()
    const [link] = (await linksOf(`correspondence/${id}`)).body.data

    const ended = await Promise.all([one, two].map((it) => end(`documents/${it.id}/shared-links/${link.id}`)))

    expect(ended.map(({ status }) => status)).toEqual([204, 204])
    expect(await statusOf(path)).toBe(404)
  })

  it('exist for nobody else: another firm, another mail, a document that they do not have', async () => {
    const [{ id, one }, other] = [await share(), await share()]
    const [link] = (await linksOf(`correspondence/${id}`)).body.data

    const answers = [
      await linksOf(`correspondence/${id}`, stranger.owner),
      await linksOf(`documents/${one.id}`, stranger.owner),
      await end(`correspondence/${id}/shared-links/${link.id}`, stranger.owner),
      await end(`correspondence/${other.id}/shared-links/${link.id}`),
      await end(`documents/${other.one.id}/shared-links/${link.id}`),
    ]

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect((await linksOf(`correspondence/${id}`)).body.data).toHaveLength(1)
  })

  it('no longer open a document that has left the case that it was in, whether for another case or none', async () => {
    const [from, to] = [
      (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Alt' } })).body.id,
      (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Neu' } })).body.id,
    ]
    const documents: string[] = []
    for (const filename of ['a.txt', 'b.txt', 'c.txt']) {
      const { id } = (await upload(firm.owner, { filename })).body
      await firm.owner('POST', `/api/v1/documents/${id}/assign`, { body: { case_id: from } })
      documents.push(id)
    }
    const address = newAddress()
    const sent = { to: [address], case_id: from, attachments: documents, attachments_as: 'links' }
    await send(firm.owner, sent)
    const [message] = await sentTo(address)
    const path = pathIn(message)

    await firm.owner('POST', `/api/v1/documents/${documents[0]}/assign`, { body: { case_id: to } })
    await firm.owner('POST', `/api/v1/documents/${documents[1]}/assign`, { body: { case_id: null } })

    const statuses = await Promise.all(documents.map((id) => statusOf(`${path}/documents/${id}`)))
    expect(statuses).toEqual([404, 404, 200])
    expect((await linksOf(`documents/${documents[0]}`)).body.data).toEqual([])
  })

  it.each([
    ['and comes back', 'case', ['other', 'case']],
    ['for none and comes back', 'case', [null, 'case']],
    ['into which it came after it was sent', null, ['case', 'other']],
    ['into which it came later, and comes back', null, ['case', null, 'case']],
  ])('open no document that leaves a case, %s', async (_, first, moves) => {
    const [kase, other] = await Promise.all(
      ['Alt', 'Neu'].map(
        async (name) => (await firm.owner('POST', '/api/v1/cases', { body: { name } })).body,
      ),
    )
    const idOf = (place: string | null) => (place === null ? null : place === 'case' ? kase.id : other.id)
    const { id } = (await upload(firm.owner)).body
    const move = (place: string | null) =>
      firm.owner('POST', `/api/v1/documents/${id}/assign`, { body: { case_id: idOf(place) } })
    await move(first)
    const address = newAddress()
    await send(firm.owner, { to: [address], case_id: kase.id, attachments: [id], attachments_as: 'links' })
    const [message] = await sentTo(address)
    const path = pathIn(message)
    const before = await statusOf(`${path}/documents/${id}`)

    for (const place of moves) expect((await move(place)).status).toBe(200)

    expect([before, await statusOf(`${path}/documents/${id}`)]).toEqual([200, 404])
    expect((await linksOf(`documents/${id}`)).body.data).toEqual([])
  })
})

describe('sending documents', () => {
  it('needs the right to read them, as files, as links, in drafts and forwards', async () => {
    // Prepare
    const { one, id } = await share()
    const writer = await firm.withScopes('inbox:read', 'inbox:write')
    const asking = (method: 'POST' | 'PUT', path: string, body?: unknown) =>
      writer(method, `${outbound}/${path}`, body === undefined ? {} : { body })
    const to = [newAddress()]
    const draft = (await asking('POST', 'drafts', { to, subject: 'Ohne' })).body
    const attached = { to, subject: 'Mit', attachments: [one.id] }
    const ofOwner = (await firm.owner('POST', `${outbound}/drafts`, { body: attached })).body

    // Act
    const refused = [
      await asking('POST', 'send', attached),
      await asking('POST', 'send', { ...attached, attachments_as: 'links' }),
      await asking('POST', 'drafts', attached),
      await asking('PUT', `drafts/${draft.id}`, { attachments: [{ document_id: one.id }] }),
      await asking('POST', `drafts/${ofOwner.id}/send`),
      await asking('POST', 'forward-envelope', { correspondence_id: id }),
    ]
    const allowed = [
      await asking('POST', 'send', { to, subject: 'Ohne', body_html: '<p>a' }),
      await asking('PUT', `drafts/${draft.id}`, { attachments: [] }),
      await asking('POST', `drafts/${draft.id}/send`),
    ]

    // Assess
    expect(refused.map(({ status, body }) => [status, body.error?.code])).toEqual(
      Array(6).fill([403, 'AUTH_INSUFFICIENT_SCOPE']),
    )
    expect(refused[0]?.body.error.message).toContain('documents:read')
    expect(allowed.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})

describe('the whole message of a mail with links', () => {
  it.each([
    ['in German', 'Anbei die Unterlagen für Sie.'],
    ['in Greek, which is sent in base64', 'Σας στέλνω τα έγγραφα της υπόθεσης. '.repeat(20)],
    ['in Russian', 'Направляю документы. '.repeat(40)],
  ])('hides their tokens, %s', async (_, text) => {
    const document = (await upload(firm.owner, { filename: 'Ελλάδα Überblick.txt' })).body
    const to = newAddress()
    const sent = {
      to: [to],
      body_html: `<p>${text}</p>`,
      attachments: [document.id],
      attachments_as: 'links',
    }
    const { id } = (await send(firm.owner, sent)).body
    const [message] = await sentTo(to)
    const [, token = ''] = /\/shared\/([\w-]{43})/.exec(message?.mail.html ?? '') ?? []

    const shown = await firm.owner('GET', `/api/v1/correspondence/${id}/raw`)
    const part = await firm.owner('GET', `/api/v1/correspondence/${id}/raw`, {
      headers: { Range: 'bytes=100-' },
    })

    const read = await PostalMime.parse(shown.bytes)
    expect(token).toHaveLength(43)
    for (const one of [read.html, read.text]) {
      expect(one).not.toContain(token)
      expect(one).toContain(`/shared/${'*'.repeat(43)}`)
      expect(one).toContain(text.slice(0, 15))
    }
    expect(shown.bytes.length).toBe(message?.raw.length)
    expect(Buffer.from(part.bytes).equals(Buffer.from(shown.bytes).subarray(100))).toBe(true)
  })
})
