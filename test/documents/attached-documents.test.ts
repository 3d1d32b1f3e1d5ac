import { beforeEach, describe, expect, it } from 'vitest'
import { attachedDocuments } from '#documents/attached-documents.ts'
import { bytesKey } from '#documents/keys.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId, timeOf } from '#kernel/id.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** The real table and bucket, without the worker that runs beside them: these documents are in no queue. */
async function setUp() {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { documentFoundation } = await import('#foundation/documents.ts')
  const { processArrivals } = await import('#inbox/arrival-schema.ts')
  const base = foundation('test')
  base.jobs.handle(processArrivals.handledBy(async () => {}))
  const { store, files } = documentFoundation(base)
  return { ...base, store, files, attached: attachedDocuments({ store, files, clock: base.clock }) }
}

let firm: Firm
let mail: { workspace_id: string; id: string }
beforeEach(async () => {
  firm = await newFirm()
  mail = { workspace_id: firm.workspace.id, id: newId('correspondence') }
})

const never = new AbortController().signal
const file = (filename: string, mime_type: string, content: string | Uint8Array) => ({
  filename,
  mime_type,
  bytes: typeof content === 'string' ? Buffer.from(content) : content,
})
const pdf = (name = 'Klage.pdf') => file(name, 'application/octet-stream', `%PDF-1.7 ${name}`)

describe('the documents of attachments', () => {
  it('have the source email, no case, the id of their mail and exactly the sent bytes', async () => {
    const { attached, store, files } = await setUp()
    const invitation = 'BEGIN:VCALENDAR\nVERSION:2.0\r\nEND:VCALENDAR'

    const { documents } = await attached.add(mail, [pdf(), file('', 'text/calendar', invitation)], never)

    const [claim, calendar] = await Promise.all(
      documents.map(({ document_id }) => store.find(mail.workspace_id, document_id)),
    )
    expect(claim).toMatchObject({
      filename: 'Klage.pdf',
      mime_type: 'application/pdf',
      status: 'pending',
      source: 'email',
      case_id: null,
      correspondence_id: mail.id,
      inbox: null,
    })
    expect(calendar).toMatchObject({
      mime_type: 'text/calendar',
      status: 'failed',
      status_reason: 'unsupported_type',
    })
    if (!calendar) throw new Error('It is there.')
    expect(Buffer.from(await files.read(bytesKey(calendar))).toString()).toBe(invitation)
    expect(documents[0]?.document_id && timeOf(documents[0].document_id)).toEqual(timeOf(mail.id))
  })

  it.each([
    ['a PDF with the extension of another type', pdf('x.exe'), 'application/pdf', null],
    ['a text', file('a.txt', 'text/plain', 'Guten Tag'), 'text/plain', null],
    ['a text that is declared as a PDF', file('a.pdf', 'application/pdf', 'Guten Tag'), 'text/plain', null],
    ['an archive', file('a.zip', 'application/zip', 'PK\x03\x04…'), 'application/zip', 'unsupported_type'],
    ['a message', file('a.eml', 'message/rfc822', 'Subject: a\n\nb'), 'message/rfc822', 'unsupported_type'],
    ['a web page', file('a.html', 'text/html', '<p>a</p>'), 'text/html', 'unsupported_type'],
    [
      'an XML file',
      file('xjustiz_nachricht.xml', 'application/xml', '<a/>'),
      'application/xml',
      'unsupported_type',
    ],
    [
      'a file with an invalid type',
      file('a', 'b; c="\r\nd', '\x00\x01'),
      'application/octet-stream',
      'unsupported_type',
    ],
    ['an empty file', file('leer.pdf', 'application/pdf', ''), 'application/pdf', 'empty'],
  ])('%s has its type, and is read if its text can be read', async (_, sent, mime_type, status_reason) => {
    const { attached, store } = await setUp()

    const { documents, jobs } = await attached.add(mail, [sent], never)

    const record = await store.find(mail.workspace_id, documents[0]?.document_id ?? '')
    expect(record).toMatchObject({
      mime_type,
      status_reason,
      status: status_reason === null ? 'pending' : 'failed',
      size_bytes: sent.bytes.length,
      sha256: hexDigest(sent.bytes),
    })
    expect(jobs).toHaveLength(status_reason === null ? 1 : 0)
  })

  it('have a shortened name with its extension if the sent name is too long', async () => {
    const { attached } = await setUp()

    const { documents } = await attached.add(
      mail,
      [pdf(`${'ü'.repeat(3_000)}.pdf`), pdf('../../b.pdf')],
      never,
    )

    const names = documents.map(({ filename }) => filename)
    expect(names[0]).toMatch(/^ü{400,}….pdf$/)
    expect([...(names[0] ?? '')].length).toBeLessThanOrEqual(500)
    expect(names[1]).toBe('b.pdf')
  })

  it('keep all parts of a name with slashes', async () => {
    const { attached } = await setUp()

    const { documents } = await attached.add(
      mail,
      [
        pdf('Rechnung 12345/26.pdf'),
        pdf('Klage 3 O 45/26, 3 O 46/26.pdf'),
        pdf('C:\\Scan\\Brief.pdf'),
        pdf('//'),
      ],
      never,
    )

    expect(documents.map(({ filename }) => filename)).toEqual([
      'Rechnung 12345_26.pdf',
      'Klage 3 O 45_26, 3 O 46_26.pdf',
      'Brief.pdf',
      'Unbenannt.pdf',
    ])
  })

  it('are added once, even by concurrent workers, and not again after one was deleted', async () => {
    const { attached, store } = await setUp()
    const sent = Array.from({ length: 25 }, (_, at) => pdf(`${at}.pdf`))

    const both = await Promise.all([attached.add(mail, sent, never), attached.add(mail, sent, never)])
    const [first] = both[0]?.documents ?? []
    await firm.owner('DELETE', `/api/v1/documents/${first?.document_id}`)
    const again = await attached.add(mail, sent, never)

    expect(both[0]?.documents).toEqual(both[1]?.documents)
    expect(again.documents).toEqual(both[0]?.documents)
    const found = await store.findAll(
      mail.workspace_id,
      again.documents.map(({ document_id }) => document_id),
    )
    expect(found).toHaveLength(24)
    const { body } = await firm.owner('GET', '/api/v1/documents?limit=100')
    expect(body.data).toHaveLength(24)
  })

  it('may be five hundred, each with its own bytes', async () => {
    const { attached, store, files } = await setUp()
    const sent = Array.from({ length: 500 }, (_, at) => file(`${at}.bin`, 'application/x-data', `\x00 ${at}`))

    const { documents, jobs } = await attached.add(mail, sent, never)

    expect(jobs).toEqual([])
    expect(documents.map(({ filename }) => filename)).toEqual(sent.map(({ filename }) => filename))
    const ids = documents.map(({ document_id }) => document_id)
    expect(new Set(ids).size).toBe(500)
    const found = new Map((await store.findAll(mail.workspace_id, ids)).map((record) => [record.id, record]))
    for (const at of [0, 9, 10, 250, 499]) {
      const record = found.get(ids[at] ?? '')
      if (!record) throw new Error(`${at} is missing.`)
      expect(Buffer.from(await files.read(bytesKey(record))).toString()).toBe(`\x00 ${at}`)
    }
  })

  it('have texts after they are read; only the wanted number is looked up', async () => {
    const { attached, store, files, clock } = await setUp()
    const { documentProcessing } = await import('#documents/processing.ts')
    const sent = ['eins', 'zwei', 'drei'].map((text) => file(`${text}.txt`, 'text/plain', text))
    const { documents } = await attached.add(mail, [pdf(), ...sent], never)
    const ids = documents.map(({ document_id }) => document_id)
    const readText = async (bytes: Uint8Array) => ({
      text: Buffer.from(bytes).toString(),
      page_count: 1,
      word_count: 1,
    })
    const processing = documentProcessing({ store, files, clock, readText })
    for (const document_id of ids.slice(1, 3))
      await processing.process({ workspace_id: mail.workspace_id, document_id }, never)

    const few = await attached.texts(mail.workspace_id, ids.slice(1), 2)
    const all = await attached.texts(mail.workspace_id, [...ids, newId('document')], 10)

    expect([few.is_pending, await few.read()]).toEqual([false, ['eins', 'zwei', null]])
    expect([all.is_pending, await all.read()]).toEqual([true, [null, 'eins', 'zwei', null, null]])
  })
})
