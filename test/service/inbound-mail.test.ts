import { beforeAll, describe, expect, it, vi } from 'vitest'
import { api } from '#test/support/api.ts'
import { form } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { rawMail } from '#test/support/inbound-mail.ts'
import { receiving } from '#test/support/receiving.ts'
import { docxOf, paragraph, zipOf } from '#test/support/zip-writer.ts'

let firm: Firm
let receive: Awaited<ReturnType<typeof receiving>>['receive']
let judged: Awaited<ReturnType<typeof receiving>>['judged']
beforeAll(async () => {
  firm = await newFirm()
  ;({ receive, judged } = await receiving(firm))
})

const bytes = (raw: string) => Buffer.from(raw.replaceAll(/\r?\n/g, '\r\n'), 'latin1')
const create = async (path: string, body: unknown) => (await firm.owner('POST', path, { body })).body
const mailOf = async (id: string) => (await firm.owner('GET', `/api/v1/correspondence/${id}`)).body

/** Receives a message, and gives its mail once it is read; its raw message is the one that was sent. */
async function arrived(raw: Uint8Array) {
  const id = await receive(raw)
  await judged(id)
  const message = await firm.owner('GET', `/api/v1/correspondence/${id}/raw`)
  expect(Buffer.compare(message.bytes, raw)).toBe(0)
  const { body } = await firm.owner('GET', '/api/v1/inbox?limit=100')
  return { ...(await mailOf(id)), isListed: body.data.some((item: { id: string }) => item.id === id) }
}

const nested = (depth: number): string =>
  depth === 0
    ? 'From: a@b.de\nSubject: innen\n\nGanz innen'
    : `From: a@b.de\nSubject: Ebene ${depth}\nContent-Type: multipart/mixed; boundary=e${depth}\n\n--e${depth}\nContent-Type: message/rfc822\n\n${nested(depth - 1)}\n--e${depth}--\n`

const part = (type: string, content: string, more = '') => `--b\nContent-Type: ${type}\n${more}\n${content}\n`
const multipart = (kind: string, ...parts: string[]) =>
  bytes(`From: a@b.de\nSubject: Post\nContent-Type: ${kind}; boundary=b\n\n${parts.join('')}--b--\n`)

describe('a mail that is out of the ordinary is a record in the inbox with its raw message', () => {
  it.each([
    [
      'without From, Date and Message-ID',
      bytes('Subject: nur das\n\nGuten Tag'),
      { subject: 'nur das', dated_at: null },
    ],
    [
      'with a date of long ago that is written in German',
      bytes('From: a@b.de\nMessage-ID: <alt@b.de>\nDate: Mi, 2 Dez 2020 10:00:00 +0100\n\nGuten Tag'),
      { dated_at: '2020-12-02T09:00:00.000Z' },
    ],
    [
      'with a date and without a Message-ID',
      bytes('From: a@b.de\nSubject: Post\nDate: Wed, 2 Dec 2020 10:00:00 +0100\n\nGuten Tag'),
      { dated_at: '2020-12-02T09:00:00.000Z' },
    ],
    [
      'with a date after the year 9999',
      bytes('From: a@b.de\nMessage-ID: <fern@b.de>\nDate: Wed, 2 Dec 20200 10:00:00 +0100\n\nGuten Tag'),
      { dated_at: null },
    ],
    ['without a header', bytes('\n\nnur Text'), { subject: '' }],
    ['of nothing but bytes', Buffer.from([0, 255, 254, 10, 13, 7]), {}],
    [
      'with eight-bit header fields',
      bytes('From: M\xfcller <m@mueller.de>\nSubject: K\xfcndigung\n\nGr\xfc\xdfe'),
      { subject: 'Kündigung', from: { name: 'Müller', email: 'm@mueller.de' } },
    ],
    [
      'in Windows-1252 that says it is UTF-8',
      bytes('From: a@b.de\nSubject: x\nContent-Type: text/plain; charset=utf-8\n\nGr\xfc\xdfe \x80 100'),
      { body_text: expect.stringContaining('Grüße € 100') },
    ],
    [
      'in ISO-8859-15',
      bytes('From: a@b.de\nSubject: x\nContent-Type: text/plain; charset=iso-8859-15\n\n\xa4 5'),
      { body_text: expect.stringContaining('€ 5') },
    ],
    [
      'with MIME that breaks off',
      bytes(
        'From: a@b.de\nSubject: ab\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nAnfang',
      ),
      { body_text: expect.stringContaining('Anfang') },
    ],
    [
      'with messages in messages, ten deep',
      bytes(nested(10)),
      { attachments: [{ mime_type: 'message/rfc822' }] },
    ],
    [
      'with a calendar invitation',
      multipart(
        'multipart/alternative',
        part('text/plain', 'Termin'),
        part('text/calendar; method=REQUEST', 'BEGIN:VCALENDAR\nEND:VCALENDAR'),
      ),
      { attachments: [{ mime_type: 'text/calendar' }] },
    ],
    [
      'that is signed',
      multipart(
        'multipart/signed; protocol="application/pkcs7-signature"',
        part('text/plain', 'Guten Tag'),
        part('application/pkcs7-signature; name=smime.p7s', 'AAAA', 'Content-Transfer-Encoding: base64\n'),
      ),
      { protection: 'signed', attachments: [{ filename: 'smime.p7s' }] },
    ],
    [
      'that is encrypted by S/MIME',
      bytes(
        'From: a@b.de\nSubject: geheim\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nMIAGCSqG',
      ),
      { protection: 'encrypted', attachments: [{ filename: 'smime.p7m' }] },
    ],
    [
      'that is encrypted by PGP',
      multipart(
        'multipart/encrypted; protocol="application/pgp-encrypted"',
        part('application/pgp-encrypted', 'Version: 1'),
        part('application/octet-stream; name=encrypted.asc', '-----BEGIN PGP MESSAGE-----'),
      ),
      { protection: 'encrypted', attachments: [{}, { filename: 'encrypted.asc' }] },
    ],
    [
      'with an empty attachment',
      multipart(
        'multipart/mixed',
        part('text/plain', 'leer'),
        part('application/pdf; name=leer.pdf', '', 'Content-Disposition: attachment; filename=leer.pdf\n'),
      ),
      { attachments: [{ filename: 'leer.pdf', size_bytes: 0 }] },
    ],
  ])('%s', async (_, raw, expected) => {
    const mail = await arrived(raw)

    expect(mail).toMatchObject({ status: 'processed', direction: 'inbound', ...expected })
    expect(mail.isListed).toBe(true)
  })

  it('beyond what can be read: it is failed, says why, and is in the inbox', async () => {
    const raw = bytes(
      `From: a@b.de\nSubject: zu viel\nContent-Type: multipart/mixed; boundary=b\n\n${'--b\n\n'.repeat(20_001)}`,
    )

    const mail = await arrived(raw)

    expect(mail).toMatchObject({ status: 'failed', status_reason: 'too_large', subject: 'zu viel' })
    expect(mail.isListed).toBe(true)
  })

  it('with HTML that spies: nothing runs, nothing is fetched, small pictures of the mail stay', async () => {
    const html =
      '<html><head><style>' +
      'p{color:red;background:url(https://spion.example/a)}'.repeat(20_000) +
      '</style></head><body onload="x()"><script>alert(1)</script><p>Guten Tag</p><img src="https://spion.example/pixel.gif"><img src="cid:logo"></body></html>'
    const raw = multipart(
      'multipart/related',
      part('text/html; charset=utf-8', html),
      part('image/png', 'iVBORw0KGgo=', 'Content-ID: <logo>\nContent-Transfer-Encoding: base64\n'),
    )

    const mail = await arrived(raw)

    expect(mail.body_html).toContain('Guten Tag')
    expect(mail.body_html).toContain('cid:logo')
    expect(mail.body_html).not.toMatch(/script|onload|spion|url\(/)
    expect(mail.inline_images).toEqual([{ content_id: 'logo', mime_type: 'image/png', data: 'iVBORw0KGgo=' }])
    expect(mail.attachments).toEqual([])
  })

  it('with an archive that would fill the disk: it is kept as it is', async () => {
    const bomb = zipOf([{ name: 'a.txt', content: Buffer.alloc(20_000_000) }])
    const raw = bytes(rawMail({ files: [{ name: 'bombe.zip', type: 'application/zip', bytes: bomb }] }))

    const { attachments } = await arrived(raw)

    const file = await firm.owner('GET', `/api/v1/documents/${attachments[0].document_id}/download`)
    expect(Buffer.compare(file.bytes, bomb)).toBe(0)
    const { body } = await firm.owner('GET', `/api/v1/documents/${attachments[0].document_id}`)
    expect(body).toMatchObject({ status: 'failed', status_reason: 'unsupported_type', source: 'email' })
  })

  it('with an empty attachment: the document says so, and can be downloaded like any other', async () => {
    const files = [{ name: 'leer.pdf', type: 'application/pdf', bytes: Buffer.alloc(0) }]

    const { attachments } = await arrived(bytes(rawMail({ files })))

    const path = `/api/v1/documents/${attachments[0].document_id}`
    expect((await firm.owner('GET', path)).body).toMatchObject({ status: 'failed', status_reason: 'empty' })
    const { status, bytes: downloaded } = await firm.owner('GET', `${path}/download`)
    expect([status, downloaded.length]).toEqual([200, 0])
    const { status: refused, body } = await firm.owner('POST', `${path}/extract`)
    expect([refused, body.error.code]).toEqual([422, 'EXTRACTION_FAILED'])
  })

  it('with fifteen letters is judged for good once the first of them are read', async () => {
    const files = Array.from({ length: 15 }, (_, at) => ({
      name: `Brief ${at}.txt`,
      type: 'text/plain',
      bytes: Buffer.from(`Brief Nummer ${at}`),
    }))

    const mail = await judged(await receive(bytes(rawMail({ files }))))

    expect(mail.attachments.map(({ filename }) => filename)).toEqual(files.map(({ name }) => name))
    expect(mail.triage).not.toBeNull()
  })

  it('that comes twice is one record; another firm sees neither it nor its documents', async () => {
    const raw = bytes(rawMail({ files: [{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') }] }))
    const stranger = await newFirm()

    const [one, two] = await Promise.all([receive(raw), receive(raw)])
    const { attachments } = await judged(one)

    expect(two).toBe(one)
    const paths = [`/api/v1/correspondence/${one}`, `/api/v1/documents/${attachments[0]?.document_id}`]
    for (const path of paths) expect((await stranger.owner('GET', path)).status).toBe(404)
  })
})

describe('what arrived is judged by its text', () => {
  const letter = (number: string) =>
    Buffer.from(`Amtsgericht Köln\nIhr Zeichen: ${number}\n\nSie koennen binnen zwei Wochen Stellung nehmen.`)

  it('a mail once its letter is read: the case of the letter’s number, with evidence that stands there', async () => {
    const { id: case_id, file_number } = await create('/api/v1/cases', { name: 'Anlage' })
    const files = [{ name: 'Brief.pdf', type: 'application/pdf', bytes: letter(file_number) }]

    const { triage } = await judged(await receive(bytes(rawMail({ subject: 'Post', files }))))

    expect(triage?.case_suggestions[0]).toMatchObject({ case_id })
    expect(triage?.case_suggestions[0]?.evidence[0]?.text).toContain(`Ihr Zeichen: ${file_number}`)
    expect(triage?.deadline_hints).toMatchObject([{ period: { unit: 'week', count: 2 } }])
  })

  it('a mail of a party with our number is filed with its attachments, and says why', async () => {
    const { id: case_id, file_number } = await create('/api/v1/cases', { name: 'Mandantin' })
    const mailbox = `ida-${crypto.randomUUID()}@horn.example`
    const party = await create('/api/v1/parties', { type: 'person', name: 'Ida Horn', email: mailbox })
    await create(`/api/v1/cases/${case_id}/parties`, { parties: [{ id: party.id, role: 'client' }] })
    const files = [{ name: 'a.txt', type: 'text/plain', bytes: Buffer.from('Anlage') }]
    const from = `Ida Horn <${mailbox.toUpperCase()}>`
    const raw = rawMail({ from, subject: `Ihr Zeichen ${file_number}`, files })

    const mail = await judged(await receive(bytes(raw)))

    expect(mail).toMatchObject({ case_id, party_id: party.id, inbox: { state: 'filed', is_decided: false } })
    const timeline = (await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)).body.data
    const entries = timeline.filter(({ ref }: { ref: { id: string } | null }) => ref?.id === mail.id)
    expect(entries).toMatchObject([{ type: 'mail.filed', actor: { type: 'system', name: 'Aktenlage' } }])
    expect(entries[0].summary).toContain(file_number)
    await vi.waitFor(
      async () => {
        const { body } = await firm.owner('GET', `/api/v1/documents/${mail.attachments[0]?.document_id}`)
        expect(body.case_id).toBe(case_id)
      },
      { timeout: 100_000, interval: 250 },
    )
  })

  it('an upload to the inbox and a document of the webhook are suggested a case, and never filed', async () => {
    const { id: case_id, file_number } = await create('/api/v1/cases', { name: 'Scan' })
    const { body } = await firm.owner('POST', '/api/v1/inbox/upload', {
      raw: form({ files: [{ bytes: letter(file_number), filename: 'scan.txt' }] }),
    })
    const pushed = await push(file_number)

    const items = await Promise.all([body.uploaded[0].document_id, pushed].map(judgedDocument))

    expect(items.map(({ subject }) => subject)).toEqual(['scan.txt', 'Brief.docx'])
    for (const item of items) {
      expect(item).toMatchObject({ kind: 'document', state: 'open', case_id: null })
      expect(item.triage.case_suggestions[0]).toMatchObject({ case_id })
      expect(item.triage.final).toBe(true)
    }
    expect(items[0].triage).toMatchObject({ category: 'court', priority: 'high' })
  })

  it('a document that the webhook puts into a folder is not in the inbox', async () => {
    const { id: folder_id } = await create('/api/v1/folders', { name: 'Eingang' })

    const [inFolder, free] = [await push('0001/26', { folder_id }), await push('0001/26')]

    await judgedDocument(free)
    const { data } = (await firm.owner('GET', '/api/v1/inbox?kind=document&limit=100')).body
    const ids = data.map(({ id }: { id: string }) => id)
    expect([ids.includes(inFolder), ids.includes(free)]).toEqual([false, true])
  })
})

/** Pushes a letter by the webhook. @returns the id of its document */
async function push(number: string, fields: Record<string, string> = {}): Promise<string> {
  const bytes = docxOf([paragraph(`Ihr Zeichen: ${number}`), paragraph('Wir bitten um Rückruf.')].join(''))
  const { id, webhook_token } = firm.workspace
  const { body } = await api(firm.baseUrl, undefined)('POST', `/webhooks/inbox/${id}`, {
    raw: form({ file: { bytes: new Uint8Array(bytes), filename: 'Brief.docx' } }, fields),
    headers: { 'X-Service-Token': webhook_token },
  })
  return `doc_${body.document_id}`
}

// biome-ignore lint/suspicious/noExplicitAny: callers name what they expect
function judgedDocument(id: string): Promise<any> {
  return vi.waitFor(
    async () => {
      const { data } = (await firm.owner('GET', '/api/v1/inbox?kind=document&limit=100')).body
      const found = data.find((one: { id: string }) => one.id === id)
      expect(found?.triage).toBeTruthy()
      return found
    },
    { timeout: 60_000, interval: 200 },
  )
}
