import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { bytesKey, textKey } from '#documents/keys.ts'
import { corpus, form, settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedBucket } from '#test/support/shared-bucket.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const path = '/api/v1/documents'
/** The sweeper repeats a job that failed in a request after a minute. */
const patiently = { timeout: 100_000, interval: 250 }
const create = async (place: string, body: unknown, by = firm) =>
  (await by.owner('POST', place, { body })).body
const newCase = (by = firm) => create('/api/v1/cases', { name: 'Meier ./. Schulze' }, by)
const newParty = (name: string, by = firm) => create('/api/v1/parties', { name }, by)
const timeline = async (id: string) =>
  (await firm.owner('GET', `/api/v1/cases/${id}/timeline`)).body.data as {
    type: string
    summary: string
    ref: { id: string }
  }[]
const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

describe('a document that was accepted', () => {
  it('is answered with all that is known of it, and given back byte for byte', async () => {
    const [kase, one, other] = [await newCase(), await newParty('Anna Meier'), await newParty('Otto Schulze')]
    const folder = await create('/api/v1/folders', { name: 'Klage' })
    const bytes = corpus('schriftsatz.pdf')

    const created = await upload(
      firm.owner,
      { bytes, filename: 'Klage.pdf' },
      { case_id: kase.id, folder_id: folder.id, party_ids: [one.id, other.id] },
    )
    const read = await settled(firm.owner, created.body.id)
    const file = await firm.owner('GET', `${path}/${created.body.id}/download`)

    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      filename: 'Klage.pdf',
      mime_type: 'application/pdf',
      size_bytes: bytes.length,
      status: 'pending',
      case_id: kase.id,
      folder_id: folder.id,
      parties: [
        { id: one.id, name: 'Anna Meier', is_primary: true },
        { id: other.id, name: 'Otto Schulze', is_primary: false },
      ],
      extracted_text_length: null,
      page_count: null,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      duplicate_of: [],
      source: 'upload',
    })
    expect(created.body.id).toMatch(/^doc_[0-9a-f-]{36}$/)
    expect(read).toMatchObject({ status: 'processed', page_count: 3, status_reason: null })
    expect(file.bytes).toEqual(bytes)
    expect(file.headers.get('content-type')).toBe('application/pdf')
  })

  it.each([
    ['vertrag.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'processed'],
    ['vertrag.doc', 'application/msword', 'processed'],
    ['scan.png', 'image/png', 'processed'],
    ['scan.jpg', 'image/jpeg', 'processed'],
    ['zwei-seiten.tif', 'image/tiff', 'processed'],
    ['brief-windows-1252.txt', 'text/plain', 'processed'],
    ['gemischt.pdf', 'application/pdf', 'processed'],
  ])('%s is read, under a false name and type as well', async (name, mimeType, status) => {
    const { body } = await upload(firm.owner, { bytes: corpus(name), filename: 'irgendwas.bin' })
    const read = await settled(firm.owner, body.id)
    const { body: text, status: answered } = await firm.owner('POST', `${path}/${body.id}/extract`)

    expect(read).toMatchObject({ status, mime_type: mimeType })
    expect(answered).toBe(200)
    expect(text.text.length).toBe(read.extracted_text_length)
    expect(text.page_count).toBe(read.page_count)
    expect(text.word_count).toBe(text.text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length)
  })

  it.each([
    ['verschluesselt.pdf', 'password_protected'],
    ['abgeschnitten.pdf', 'corrupt'],
    ['abgeschnitten.docx', 'corrupt'],
    ['abgeschnitten.doc', 'corrupt'],
  ])('%s is kept though it cannot be read: failed, because %s', async (name, reason) => {
    const bytes = corpus(name)
    const { body, status } = await upload(firm.owner, { bytes, filename: name })
    const read = await settled(firm.owner, body.id)
    const file = await firm.owner('GET', `${path}/${body.id}/download`)
    const text = await firm.owner('POST', `${path}/${body.id}/extract`)

    expect(status).toBe(201)
    expect(read).toMatchObject({ status: 'failed', status_reason: reason, extracted_text_length: null })
    expect(file.bytes).toEqual(bytes)
    expect([text.status, text.body.error.code]).toEqual([422, 'EXTRACTION_FAILED'])
    expect(text.body.error.details).toEqual([{ path: 'status_reason', message: reason }])
  })

  it('returns its text in the answer to a request right after the upload', async () => {
    const { body } = await upload(firm.owner, { bytes: 'Fünf Wörter stehen hier drin.' })

    const extract = () => firm.owner('POST', `${path}/${body.id}/extract`)
    // It waits for 18 seconds (D8), in which a busy machine may not come to it.
    let answer = await extract()
    for (let again = 0; answer.status === 409 && again < 10; again += 1) answer = await extract()

    expect([answer.status, answer.body]).toEqual([
      200,
      { text: 'Fünf Wörter stehen hier drin.', page_count: 1, word_count: 5 },
    ])
  })

  it('is read without waiting for the sweeper', async () => {
    const { body } = await upload(firm.owner)

    // The sweeper hands a document over at the earliest a minute after its upload.
    expect((await settled(firm.owner, body.id, 50)).status).toBe('processed')
  })

  it('names the other documents with the same bytes, of its workspace only', async () => {
    const bytes = `Ein Doppel, ${Math.random()}`
    const [first, second, foreign] = [
      (await upload(firm.owner, { bytes })).body,
      (await upload(firm.owner, { bytes, filename: 'Kopie.txt' })).body,
      (await upload(stranger.owner, { bytes })).body,
    ]
    const third = (await upload(firm.owner, { bytes })).body
    const shown = async (id: string, by = firm) => (await by.owner('GET', `${path}/${id}`)).body.duplicate_of

    expect([first.duplicate_of, second.duplicate_of]).toEqual([[], [first.id]])
    // Documents are filed under their digests by a job; if it fails, the sweeper repeats it.
    await vi.waitFor(async () => expect(await shown(first.id)).toEqual([second.id, third.id]), patiently)
    expect(await shown(second.id)).toEqual([first.id, third.id])
    expect(await shown(foreign.id, stranger)).toEqual([])
    await firm.owner('DELETE', `${path}/${second.id}`)
    await vi.waitFor(async () => expect(await shown(first.id)).toEqual([third.id]), patiently)
    const listed = (await firm.owner('GET', `${path}?limit=100`)).body.data
    expect(listed.find(({ id }: { id: string }) => id === third.id).duplicate_of).toEqual([first.id])
  })
})

describe('party_ids of an upload', () => {
  it.each([
    ['repeated', (one: string, other: string) => ({ party_ids: [one, other] })],
    ['repeated with brackets', (one: string, other: string) => ({ 'party_ids[]': [one, other] })],
    [
      'a JSON array in one field',
      (one: string, other: string) => ({ party_ids: JSON.stringify([one, other]) }),
    ],
    ['bare UUIDs', (one: string, other: string) => ({ party_ids: [one.slice(4), other.slice(4)] })],
  ])('are taken as %s, the first being the primary one', async (_, fields) => {
    const [one, other] = [await newParty('Erste'), await newParty('Zweite')]

    const { body } = await upload(firm.owner, {}, fields(one.id, other.id))
    const listed = await firm.owner('GET', `${path}/${body.id}/parties`)

    expect(listed.body.data).toEqual([
      { id: one.id, name: 'Erste', is_primary: true },
      { id: other.id, name: 'Zweite', is_primary: false },
    ])
  })

  it('name a party once, however often they name it', async () => {
    const { id } = await newParty('Doppelt')
    const named = [id, id.slice(4), id]

    const uploaded = await upload(firm.owner, {}, { party_ids: named })
    const announced = await firm.owner('POST', `${path}/uploads`, {
      body: { filename: 'a.pdf', mime_type: 'application/pdf', size_bytes: 5, party_ids: named },
    })

    const once = [{ id, name: 'Doppelt', is_primary: true }]
    expect([uploaded.status, uploaded.body.parties]).toEqual([201, once])
    expect([announced.status, announced.body.document.parties]).toEqual([201, once])
  })

  it('with several unknown ids answer 404', async () => {
    const { status, body } = await upload(firm.owner, {}, { party_ids: ['x', 'y'] })

    expect([status, body.error.code]).toEqual([404, 'PARTY_NOT_FOUND'])
  })

  it('show the names that parties bear now', async () => {
    const party = await newParty('Anna Meier')
    const { body } = await upload(firm.owner, {}, { party_ids: party.id })
    await firm.owner('PUT', `/api/v1/parties/${party.id}`, { body: { name: 'Anna Meier-Schulze' } })

    expect((await firm.owner('GET', `${path}/${body.id}`)).body.parties[0].name).toBe('Anna Meier-Schulze')
  })

  it('keep a party from being deleted while a document names it', async () => {
    const party = await newParty('Gebraucht')
    const { body } = await upload(firm.owner, {}, { party_ids: party.id })

    const refused = await firm.owner('DELETE', `/api/v1/parties/${party.id}`)
    await firm.owner('DELETE', `${path}/${body.id}`)
    const removed = await firm.owner('DELETE', `/api/v1/parties/${party.id}`)

    expect([refused.status, refused.body.error.code, removed.status]).toEqual([409, 'PARTY_IN_USE', 204])
  })
})

describe('a reference to a missing record', () => {
  it.each([
    ['case_id', 'CASE_NOT_FOUND', async (by: Firm) => (await newCase(by)).id],
    [
      'folder_id',
      'FOLDER_NOT_FOUND',
      async (by: Firm) => (await create('/api/v1/folders', { name: 'F' }, by)).id,
    ],
    ['party_ids', 'PARTY_NOT_FOUND', async (by: Firm) => (await newParty('P', by)).id],
  ])('%s, unknown, malformed or foreign, answers 404 %s and stores nothing', async (field, code, make) => {
    const foreign = await make(stranger)
    const before = ids(await firm.owner('GET', `${path}?limit=100`))

    const answers = await Promise.all(
      ['01993f5e-0000-7000-8000-000000000000', 'unsinn', foreign].map((id) =>
        upload(firm.owner, {}, { [field]: id }),
      ),
    )

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(Array(3).fill([404, code]))
    expect(ids(await firm.owner('GET', `${path}?limit=100`))).toEqual(before)
  })

  it('leaves an empty field of a browser form out', async () => {
    const { status, body } = await upload(firm.owner, {}, { case_id: '', folder_id: '', party_ids: '' })

    expect([status, body.case_id, body.folder_id, body.parties]).toEqual([201, null, null, []])
  })
})

describe('a file that is not a document', () => {
  it.each([
    ['a ZIP that is no DOCX', new Uint8Array([0x50, 0x4b, 5, 6, ...Array(18).fill(0)])],
    ['an executable', new Uint8Array([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0])],
    ['text with control characters', 'a\u0000b'],
    ['a spreadsheet', corpus('tabelle.xlsx')],
    ['an old spreadsheet', corpus('tabelle.xls')],
  ])('%s, renamed to .pdf, is refused with 415', async (_, bytes) => {
    const { status, body } = await upload(firm.owner, { bytes, filename: 'klage.pdf' })

    expect([status, body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect(body.error.message).toContain('klage.pdf')
  })

  it('an empty file is refused with 400', async () => {
    const { status, body } = await upload(firm.owner, { bytes: '' })

    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('a form of more than 4.4 MiB is refused with 413, which names the path for larger files', async () => {
    const answers = await Promise.all(
      [4.5, 6, 9].map((mebibytes) => upload(firm.owner, { bytes: 'a'.repeat(mebibytes * 1024 * 1024) })),
    )
    const beyond = await fetch(`${firm.baseUrl}${path}`, {
      method: 'POST',
      body: form({ file: { bytes: 'a'.repeat(11 * 1024 * 1024) } }),
    })

    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
      expect(body.error.message).toContain('/api/v1/documents/uploads')
    }
    expect(beyond.status).toBe(413)
    expect(((await beyond.json()) as { error: { message: string } }).error.message).toContain(
      '/api/v1/documents/uploads',
    )
  })

  it('one of 4.3 MiB is stored', async () => {
    const { status, body } = await upload(firm.owner, { bytes: 'Wort '.repeat(0.86 * 1024 * 1024) })

    expect([status, body.size_bytes]).toEqual([201, 5 * Math.trunc(0.86 * 1024 * 1024)])
  })
})

describe('a download', () => {
  const disposition = (answer: { headers: Headers }) => answer.headers.get('content-disposition') ?? ''
  const nameOf = (answer: { headers: Headers }) =>
    decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(disposition(answer))?.[1] ?? '')

  it.each([
    ['umlauts', 'Kündigung größer Straße.txt', 'Kuendigung groesser Strasse.txt'],
    ['quotes', 'Die "neue" Klage.txt', 'Die _neue_ Klage.txt'],
    ['a backslash and percent', '100%.txt', '100_.txt'],
    ['marks of direction', 'Anlage\u200f\u202egpj.txt', 'Anlage_gpj.txt'],
    ['Chinese and emoji', '合同 📄.txt', '__ _.txt'],
    ['300 characters', `${'ä'.repeat(296)}.txt`, `${'ae'.repeat(296)}.txt`],
    ['a path', '../../etc/passwd', 'passwd'],
    ['an apostrophe and brackets', "O'Neill (1).txt", "O'Neill (1).txt"],
  ])('of a name with %s has headers that are right', async (_, filename, ascii) => {
    const { body } = await upload(firm.owner, { filename })
    const answer = await firm.owner('GET', `${path}/${body.id}/download`)

    expect(body.filename).toBe(filename.split('/').at(-1))
    expect(disposition(answer)).toMatch(/^[\x20-\x7e]+$/)
    expect(disposition(answer)).toContain(`attachment; filename="${ascii}"; filename*=UTF-8''`)
    expect(nameOf(answer)).toBe(body.filename.replace('\u202e', ''))
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('of a name with line breaks begins no other header', async () => {
    const { body } = await upload(firm.owner, { filename: 'a\r\nSet-Cookie: x=1\r\n\r\nb.txt' })
    const answer = await firm.owner('GET', `${path}/${body.id}/download`)

    expect(body.filename).toBe('a Set-Cookie: x=1 b.txt')
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(nameOf(answer)).toBe(body.filename)
  })

  it('returns parts of the file, and refuses a range outside of it', async () => {
    const { body } = await upload(firm.owner, { bytes: '0123456789' })
    const part = async (range: string, more = {}) => {
      const { status, bytes, headers } = await firm.owner('GET', `${path}/${body.id}/download`, {
        headers: { Range: range, ...more },
      })
      const text = status === 416 ? '' : new TextDecoder().decode(bytes)
      return [status, text, headers.get('content-range')]
    }
    const etag = (await firm.owner('GET', `${path}/${body.id}/download`)).headers.get('etag') ?? ''

    expect(await part('bytes=0-0')).toEqual([206, '0', 'bytes 0-0/10'])
    expect(await part('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10'])
    expect(await part('bytes=7-')).toEqual([206, '789', 'bytes 7-9/10'])
    expect(await part('bytes=-3')).toEqual([206, '789', 'bytes 7-9/10'])
    expect(await part('bytes=-99')).toEqual([206, '0123456789', 'bytes 0-9/10'])
    expect(await part('bytes=5-99')).toEqual([206, '56789', 'bytes 5-9/10'])
    expect(await part('bytes=10-')).toEqual([416, '', 'bytes */10'])
    expect(await part('bytes=-0')).toEqual([416, '', 'bytes */10'])
    expect(await part('bytes=4-2')).toEqual([200, '0123456789', null])
    expect(await part('bytes=0-1,4-5')).toEqual([200, '0123456789', null])
    expect(await part('seiten=1-2')).toEqual([200, '0123456789', null])
    expect(await part('bytes=2-4', { 'If-Range': etag })).toEqual([206, '234', 'bytes 2-4/10'])
    expect(await part('bytes=2-4', { 'If-Range': '"alt"' })).toEqual([200, '0123456789', null])
  })

  it('is not sent to a caller that has it', async () => {
    const { body } = await upload(firm.owner)
    const first = await firm.owner('GET', `${path}/${body.id}/download`)

    const again = await firm.owner('GET', `${path}/${body.id}/download`, {
      headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
    })

    expect([again.status, again.bytes.length]).toEqual([304, 0])
  })
})

it('a document whose bytes are missing, as after a restore, says so and stays', async () => {
  const { id } = (await upload(firm.owner)).body
  const { sha256 } = await settled(firm.owner, id)
  const named = { workspace_id: firm.workspace.id, id, sha256 }
  await sharedBucket().remove([bytesKey(named), textKey(named)])

  const download = await firm.owner('GET', `${path}/${id}/download`)
  const extract = await firm.owner('POST', `${path}/${id}/extract`)

  for (const { status, body } of [download, extract])
    expect([status, body.error.code, body.error.message]).toEqual([
      500,
      'BYTES_MISSING',
      expect.stringContaining('missing or cannot be read'),
    ])
  expect((await firm.owner('GET', `${path}/${id}`)).status).toBe(200)
})

describe('documents that name a hundred parties with the longest names', () => {
  let own: Firm
  let documents: string[]
  beforeAll(async () => {
    own = await newFirm()
    const party_ids = await Promise.all(
      Array.from({ length: 100 }, async () => (await newParty('😀'.repeat(500), own)).id as string),
    )
    const announced = { filename: 'Anlage.txt', mime_type: 'text/plain', size_bytes: 5, party_ids }
    documents = []
    // More than six megabytes together.
    while (documents.length < 32)
      documents.push((await create(`${path}/uploads`, announced, own)).document.id)
  })

  it('are listed on pages that fit into an answer', async () => {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer = await own.owner('GET', `${path}?limit=100${cursor && `&cursor=${cursor}`}`)
      expect(answer.status).toBe(200)
      found.push(...ids(answer))
      cursor = answer.body.pagination.cursor
    }

    expect(found).toEqual(documents.toReversed())
  })

  it('are refused together, and assigned in parts', async () => {
    const kase = await newCase(own)
    const assign = (document_ids: string[]) =>
      own.owner('POST', `${path}/bulk-assign`, { body: { document_ids, case_id: kase.id } })

    const all = await assign(documents)
    const untouched = await own.owner('GET', `${path}?case_id=${kase.id}`)
    const some = await assign(documents.slice(0, 16))

    expect([all.status, all.body.error.details[0].path]).toEqual([400, 'body.document_ids'])
    expect([untouched.body.data, some.status]).toEqual([[], 200])
  })
})

describe('the list of documents', () => {
  it('is newest first, with filters for case, folder, status and file name in any combination', async () => {
    const own = await newFirm()
    const kase = await newCase(own)
    const folder = await create('/api/v1/folders', { name: 'Ordner' }, own)
    const add = async (filename: string, fields = {}, bytes?: Uint8Array<ArrayBuffer>) =>
      (await upload(own.owner, { filename, ...(bytes && { bytes }) }, fields)).body.id as string
    const plain = await add('Vollmacht.txt')
    const inCase = await add('Klageschrift Größe.txt', { case_id: kase.id })
    const inBoth = await add('Klageerwiderung.txt', { case_id: kase.id, folder_id: folder.id })
    const broken = await add('Kaputt.pdf', { case_id: kase.id }, corpus('abgeschnitten.pdf'))
    await Promise.all([plain, inCase, inBoth, broken].map((id) => settled(own.owner, id)))
    const list = async (query: string) => ids(await own.owner('GET', `${path}?${query}`))

    expect(await list('')).toEqual([broken, inBoth, inCase, plain])
    expect(await list(`case_id=${kase.id}`)).toEqual([broken, inBoth, inCase])
    expect(await list(`folder_id=${folder.id}`)).toEqual([inBoth])
    expect(await list(`folder_id=${folder.id.slice(4)}`)).toEqual([inBoth])
    expect(await list('status=failed')).toEqual([broken])
    expect(await list('status=pending')).toEqual([])
    expect(await list(`case_id=${kase.id}&status=processed`)).toEqual([inBoth, inCase])
    expect(await list(`case_id=${kase.id}&search=klage`)).toEqual([inBoth, inCase])
    expect(await list('search=groesse')).toEqual([inCase])
    expect(await list(`case_id=${kase.id}&folder_id=${folder.id}&status=processed&search=wider`)).toEqual([
      inBoth,
    ])
    expect(await list('search=Ordner')).toEqual([])
    const pages = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await own.owner('GET', `${path}?limit=1${cursor && `&cursor=${cursor}`}`)
      pages.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.pagination.cursor
    }
    expect(pages).toEqual([broken, inBoth, inCase, plain])
  })

  it.each([
    'case_id=unsinn',
    'folder_id=unsinn',
    'status=fertig',
    'limit=0',
    'cursor=x',
  ])('refuses %s with 400', async (query) => {
    expect((await firm.owner('GET', `${path}?${query}`)).status).toBe(400)
  })
})

describe('assigning', () => {
  it('changes only the fields in the body, and null clears', async () => {
    const [kase, one, other] = [await newCase(), await newParty('Eins'), await newParty('Zwei')]
    const folder = await create('/api/v1/folders', { name: 'Ordner' })
    const { body } = await upload(firm.owner)
    const assign = async (changes: object) =>
      (await firm.owner('POST', `${path}/${body.id}/assign`, { body: changes })).body
    const primary = (document: { parties: { id: string; is_primary: boolean }[] }) =>
      document.parties.map(({ id, is_primary }) => [id, is_primary])

    expect(await assign({ case_id: kase.id })).toMatchObject({ case_id: kase.id, folder_id: null })
    expect((await firm.owner('POST', `${path}/${body.id}/assign`)).body.case_id).toBe(kase.id)
    expect(await assign({ folder_id: folder.id })).toMatchObject({ case_id: kase.id, folder_id: folder.id })
    expect(primary(await assign({ party_ids: [one.id, other.id, one.id] }))).toEqual([
      [one.id, true],
      [other.id, false],
    ])
    expect(primary(await assign({ primary_party_id: other.id }))).toEqual([
      [one.id, false],
      [other.id, true],
    ])
    expect(primary(await assign({ primary_party_id: null }))).toEqual([
      [one.id, false],
      [other.id, false],
    ])
    expect(await assign({ party_ids: null })).toMatchObject({ parties: [], case_id: kase.id })
    expect(await assign({ case_id: null, folder_id: null })).toMatchObject({ case_id: null, folder_id: null })
  })

  it('is recorded once in the timeline of each case concerned', async () => {
    const [here, there] = [await newCase(), await newCase()]
    const { body } = await upload(firm.owner, { filename: 'Brief.txt' }, { case_id: here.id })
    await settled(firm.owner, body.id)
    const assign = (changes: object) => firm.owner('POST', `${path}/${body.id}/assign`, { body: changes })
    const party = await newParty('Neu')

    await assign({ case_id: there.id, party_ids: [party.id] })
    await assign({ case_id: there.id })
    await assign({ party_ids: null })
    await firm.owner('DELETE', `${path}/${body.id}`)

    const told = async (id: string) => (await timeline(id)).map(({ type }) => type).toReversed()
    expect(await told(here.id)).toEqual(['case.created', 'document.created', 'document.unassigned'])
    expect(await told(there.id)).toEqual([
      'case.created',
      'document.assigned',
      'document.assigned',
      'document.deleted',
    ])
    expect((await timeline(there.id))[0]).toMatchObject({
      summary: 'Dokument „Brief.txt“ gelöscht',
      ref: { type: 'document', id: body.id },
    })
  })

  it('refuses missing records with their code, and a primary party that is not one of the parties', async () => {
    const { body } = await upload(firm.owner)
    const party = await newParty('Fremd hier')
    const foreign = await newParty('Fremd dort', stranger)
    const assign = async (changes: object) => {
      const answer = await firm.owner('POST', `${path}/${body.id}/assign`, { body: changes })
      return [answer.status, answer.body.error.code]
    }

    expect(await assign({ case_id: 'unsinn' })).toEqual([404, 'CASE_NOT_FOUND'])
    expect(await assign({ folder_id: 'unsinn' })).toEqual([404, 'FOLDER_NOT_FOUND'])
    expect(await assign({ party_ids: [foreign.id] })).toEqual([404, 'PARTY_NOT_FOUND'])
    expect(await assign({ primary_party_id: party.id })).toEqual([400, 'VALIDATION_ERROR'])
    expect(await assign({ party_ids: 'keine Liste' })).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('many at once is all or nothing', async () => {
    const [kase, party] = [await newCase(), await newParty('Alle')]
    const documents = await Promise.all(
      Array.from({ length: 12 }, async () => (await upload(firm.owner)).body.id as string),
    )
    const foreign = (await upload(stranger.owner)).body.id
    const bulk = (document_ids: string[], changes: object) =>
      firm.owner('POST', `${path}/bulk-assign`, { body: { document_ids, ...changes } })

    const refused = await bulk([...documents, foreign], { case_id: kase.id })
    const untouched = await firm.owner('GET', `${path}?case_id=${kase.id}`)
    const done = await bulk([...documents, documents[0] ?? ''], { case_id: kase.id, party_ids: [party.id] })

    expect([refused.status, refused.body.error.code]).toEqual([404, 'DOCUMENT_NOT_FOUND'])
    expect(untouched.body.data).toEqual([])
    expect(ids(done)).toEqual(documents)
    for (const document of done.body.data)
      expect(document).toMatchObject({ case_id: kase.id, parties: [{ id: party.id, is_primary: true }] })
    expect(new Set(ids(await firm.owner('GET', `${path}?case_id=${kase.id}`)))).toEqual(new Set(documents))
    expect((await timeline(kase.id)).filter(({ type }) => type === 'document.assigned')).toHaveLength(12)
    expect((await bulk(documents, { case_id: 'unsinn' })).body.error.code).toBe('CASE_NOT_FOUND')
    expect((await bulk([], { case_id: kase.id })).status).toBe(400)
    expect((await bulk(Array(101).fill(documents[0]), {})).status).toBe(400)
  })

  // Each limit by itself: together they are ten thousand writes, for which a busy machine needs longer than a request may last.
  it.each([
    { documentCount: 100, partyCount: 10 },
    { documentCount: 10, partyCount: 100 },
  ])('$documentCount documents with $partyCount parties goes through', async ({
    documentCount,
    partyCount,
  }) => {
    const own = await newFirm()
    const kase = (await own.owner('POST', '/api/v1/cases', { body: { name: 'Sammelklage' } })).body
    const named = await own.owner('POST', `/api/v1/cases/${kase.id}/parties`, {
      body: Array.from({ length: partyCount }, (_, at) => ({ name: `P${at}`, role: 'claimant' })),
    })
    const parties = named.body.data.map(({ id }: { id: string }) => id)
    // Announced, not uploaded: nobody has to read them.
    const documents = await Promise.all(
      Array.from({ length: documentCount }, async (_, at) => {
        const announced = { filename: `${at}.txt`, mime_type: 'text/plain', size_bytes: 5 }
        return (await create(`${path}/uploads`, announced, own)).document.id as string
      }),
    )

    const { status, body } = await own.owner('POST', `${path}/bulk-assign`, {
      body: { document_ids: documents, party_ids: parties },
    })

    expect(status).toBe(200)
    expect(body.data.map(({ parties: all }: { parties: unknown[] }) => all.length)).toEqual(
      Array(documentCount).fill(partyCount),
    )
  })
})

describe('a document as evidence of a deadline that was met', () => {
  it('is accepted while it exists, and not when it is deleted, foreign or not yet uploaded', async () => {
    const kase = await newCase()
    const deadline = await create('/api/v1/deadlines', {
      title: 'Klageerwiderung',
      case_id: kase.id,
      due_at: '2038-05-04',
    })
    const complete = async (document_id: string) => {
      const { status, body } = await firm.owner('POST', `/api/v1/deadlines/${deadline.id}/complete`, {
        body: { evidence: { type: 'document', document_id } },
      })
      return [status, body.error?.code ?? body.status]
    }
    const [here, gone, foreign] = [
      (await upload(firm.owner)).body.id,
      (await upload(firm.owner)).body.id,
      (await upload(stranger.owner)).body.id,
    ]
    await firm.owner('DELETE', `${path}/${gone}`)
    const announced = await firm.owner('POST', `${path}/uploads`, {
      body: { filename: 'a.pdf', mime_type: 'application/pdf', size_bytes: 5 },
    })

    expect(await complete(gone)).toEqual([404, 'DOCUMENT_NOT_FOUND'])
    expect(await complete(foreign)).toEqual([404, 'DOCUMENT_NOT_FOUND'])
    expect(await complete(announced.body.document.id)).toEqual([404, 'DOCUMENT_NOT_FOUND'])
    expect(await complete(here)).toEqual([200, 'completed'])
  })
})

describe('a deleted document', () => {
  it('answers 404 everywhere, is in no list, and its bytes are gone', async () => {
    const { body } = await upload(firm.owner, { filename: 'Vergänglich.txt' })
    await settled(firm.owner, body.id)

    const removed = await firm.owner('DELETE', `${path}/${body.id}`)

    expect([removed.status, removed.body]).toEqual([204, ''])
    const answers = await Promise.all([
      firm.owner('GET', `${path}/${body.id}`),
      firm.owner('GET', `${path}/${body.id}/download`),
      firm.owner('GET', `${path}/${body.id}/parties`),
      firm.owner('POST', `${path}/${body.id}/extract`),
      firm.owner('POST', `${path}/${body.id}/assign`, { body: {} }),
      firm.owner('DELETE', `${path}/${body.id}`),
    ])
    expect(answers.map((answer) => [answer.status, answer.body.error.code])).toEqual(
      Array(6).fill([404, 'DOCUMENT_NOT_FOUND']),
    )
    expect(ids(await firm.owner('GET', `${path}?search=Verg%C3%A4nglich`))).toEqual([])
  })

  it('needs its own scope', async () => {
    const { body } = await upload(firm.owner)
    const writer = await firm.withScopes('documents:read', 'documents:write')

    const { status, body: refusal } = await writer('DELETE', `${path}/${body.id}`)

    expect([status, refusal.error.message]).toEqual([403, 'This needs the scope documents:delete.'])
  })
})

describe('at the same moment', () => {
  it('thirty uploads of the same bytes are thirty documents, all read, which name each other', async () => {
    const own = await newFirm()
    const kase = await newCase(own)
    const bytes = `Dreißigmal dasselbe, ${Math.random()}`

    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        upload(own.owner, { bytes, filename: `${at}.txt` }, { case_id: kase.id }),
      ),
    )
    const read = await Promise.all(answers.map(({ body }) => settled(own.owner, body.id)))

    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201))
    expect(read.map(({ status }) => status)).toEqual(Array(30).fill('processed'))
    await vi.waitFor(async () => {
      const { body } = await own.owner('GET', `${path}?case_id=${kase.id}&limit=100`)
      for (const document of body.data) expect(document.duplicate_of).toHaveLength(29)
    }, patiently)
    const entries = (await own.owner('GET', `/api/v1/cases/${kase.id}/timeline?limit=100`)).body.data
    expect(entries.filter(({ type }: { type: string }) => type === 'document.created')).toHaveLength(30)
  })

  it('a document that is deleted while it is read and assigned is gone', async () => {
    const kase = await newCase()
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { body } = await upload(firm.owner, { bytes: corpus('schriftsatz.pdf') })
        const [assigned, removed] = await Promise.all([
          firm.owner('POST', `${path}/${body.id}/assign`, { body: { case_id: kase.id } }),
          firm.owner('DELETE', `${path}/${body.id}`),
        ])
        expect([200, 404]).toContain(assigned.status)
        expect(removed.status).toBe(204)
      }),
    )

    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(ids(await firm.owner('GET', `${path}?case_id=${kase.id}`))).toEqual([])
  })

  it('a party named by an upload while it is deleted is either refused or kept', async () => {
    for (let round = 0; round < 8; round += 1) {
      const party = await newParty(`Umkämpft ${round}`)
      const [uploaded, removed] = await Promise.all([
        upload(firm.owner, {}, { party_ids: party.id }),
        firm.owner('DELETE', `/api/v1/parties/${party.id}`),
      ])
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([uploaded.status, removed.status])
    }
  })
})
