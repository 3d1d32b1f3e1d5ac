import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { deliver, inboxOf, judged, newCase, read } from '#test/support/arriving-mail.ts'
import { form, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { send } from '#test/support/sent-mail.ts'

/** `GET /api/v1/inbox`: what is not filed yet (I6). */

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)
const act = (by: Firm, id: string, action: string, body?: unknown) =>
  by.owner('POST', `/api/v1/inbox/${id}/${action}`, body === undefined ? {} : { body })

async function scan(by: Firm, filename = 'Scan 0001.txt'): Promise<string> {
  const files = { bytes: `Ein Brief, Nummer ${Math.random()}.`, filename }
  const { body } = await by.owner('POST', '/api/v1/inbox/upload', { raw: form({ files }) })
  return body.uploaded[0].document_id
}

async function push(by: Firm, fields: Record<string, string> = {}): Promise<string> {
  const file = {
    bytes: await import('node:fs').then((fs) => fs.readFileSync('test/corpus/scan.png')),
    filename: 'Ladung.png',
  }
  const { body } = await by.owner('POST', `/webhooks/inbox/${by.workspace.id}`, {
    raw: form({ file: { ...file, bytes: new Uint8Array(file.bytes) } }, fields),
    headers: { 'X-Service-Token': by.workspace.webhook_token },
  })
  return `doc_${body.document_id}`
}

describe('the inbox', () => {
  it('is what is not filed, mail and documents, newest first', async () => {
    // Prepare
    const by = await newFirm()
    const folder = (await by.owner('POST', '/api/v1/folders', { body: { name: 'Post' } })).body.id
    const first = await scan(by)
    const mail = await deliver(by, { attachments: [{ filename: 'Brief.txt', content: 'Guten Tag' }] })
    const pushed = await push(by)
    await push(by, { folder_id: folder })
    await upload(by.owner)
    await send(by.owner, { to: ['anna@example.com'] })
    const last = await scan(by)

    // Act
    const items = await inboxOf(by)

    // Assess
    expect(items.map(({ id, kind }) => [id, kind])).toEqual([
      [last, 'document'],
      [pushed, 'document'],
      [mail, 'correspondence'],
      [first, 'document'],
    ])
  })

  it('says of a mail who sent it, when, and what the triage makes of it; of a document its name', async () => {
    const by = await newFirm()
    const document = await scan(by, 'Bescheid.txt')
    const id = await deliver(by, { from: 'Müller, Max <max@mueller.example>', subject: 'Rückfrage' })
    const { triage, received_at } = await judged(by, id)

    const [mail, scanned] = await inboxOf(by)

    expect(mail).toEqual({
      id,
      kind: 'correspondence',
      state: 'open',
      subject: 'Rückfrage',
      from: { name: 'Müller, Max', email: 'max@mueller.example' },
      bea: null,
      received_at,
      case_id: null,
      party_id: null,
      assigned_to: null,
      notice: null,
      triage,
    })
    expect(scanned).toMatchObject({ id: document, subject: 'Bescheid.txt', from: null, state: 'open' })
  })

  it('is that of the own workspace alone', async () => {
    const id = await deliver(firm)

    expect(idsOf(await inboxOf(firm))).toContain(id)
    expect(await inboxOf(stranger)).toEqual([])
  })

  it('is narrowed by kind, by category, by who it is assigned to, and by all of them', async () => {
    // Prepare
    const by = await newFirm()
    const { user } = await by.colleague()
    const newsletter = await deliver(by, {
      subject: 'Newsletter März',
      text: 'Neues aus der Kanzleiwelt. Hier abmelden.',
      from: 'news@verlag.example',
    })
    const question = await deliver(by)
    const document = await scan(by)
    const { triage } = await judged(by, question)
    await judged(by, newsletter)
    await act(by, question, 'file', { assigned_to: user.id })
    await act(by, document, 'file', { assigned_to: user.id })

    // Act
    const [kinds, categories, assigned, bare, combined, none] = await Promise.all([
      inboxOf(by, '&kind=correspondence'),
      inboxOf(by, `&category=${triage.category}`),
      inboxOf(by, `&assigned_to=${user.id}`),
      inboxOf(by, `&assigned_to=${user.id.slice('usr_'.length)}`),
      inboxOf(by, `&assigned_to=${user.id}&kind=correspondence&category=${triage.category}`),
      inboxOf(by, '&kind=bea'),
    ])

    // Assess
    expect(idsOf(kinds)).toEqual([question, newsletter])
    expect(idsOf(categories)).toContain(question)
    expect(categories.every((item) => item.triage?.category === triage.category)).toBe(true)
    expect(idsOf(assigned)).toEqual([document, question])
    expect(idsOf(bare)).toEqual(idsOf(assigned))
    expect(idsOf(combined)).toEqual([question])
    expect(none).toEqual([])
  })

  it.each(['kind=mail', 'category=spam', 'assigned_to=niemand', 'limit=0'])('refuses %s', async (query) => {
    const { status, body } = await firm.owner('GET', `/api/v1/inbox?${query}`)

    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('shows each item once while others arrive and are filed', async () => {
    // Prepare
    const by = await newFirm()
    const there: string[] = []
    for (let at = 0; at < 7; at += 1) there.push(await scan(by))
    const kase = await newCase(by)
    const [gone = ''] = there.splice(1, 1)

    // Act
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { body } = await by.owner('GET', `/api/v1/inbox?limit=2${query}`)
      seen.push(...idsOf(body.data))
      cursor = body.pagination.cursor
      await scan(by)
      if (seen.length === 2) await act(by, gone, 'file', { case_id: kase })
    } while (cursor !== null)

    // Assess
    expect(seen).toEqual(there.toReversed())
  })
})

describe('an item that is not in the inbox', () => {
  it('does not exist: mail that was sent, an upload, an attachment, and what belongs to another firm', async () => {
    // Prepare
    const sent = (await send(firm.owner, { to: ['anna@example.com'] })).body.id
    const uploaded = (await upload(firm.owner)).body.id
    const id = await deliver(firm, { attachments: [{ filename: 'Brief.txt', content: 'Guten Tag' }] })
    const { attachments } = await read(firm, id)
    const foreign = await deliver(stranger)

    // Act
    const ids = [
      sent,
      uploaded,
      attachments[0].document_id,
      foreign,
      newId('correspondence'),
      newId('document'),
      'x',
    ]
    const answers = await Promise.all(
      ids.flatMap((one) => [
        act(firm, one, 'file', { assigned_to: firm.ownerUser.id }),
        act(firm, one, 'dismiss'),
        act(firm, one, 'reopen'),
      ]),
    )

    // Assess
    expect(answers.map(({ status, body }) => [status, body.error.code, body.error.message])).toEqual(
      Array(3 * ids.length).fill([
        404,
        'INBOX_ITEM_NOT_FOUND',
        'There is no inbox item with this id in your workspace.',
      ]),
    )
    expect(idsOf(await inboxOf(stranger))).toEqual([foreign])
  })
})
