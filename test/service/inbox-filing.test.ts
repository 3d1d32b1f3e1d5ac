import { beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '#kernel/id.ts'
import { arrived, deliver, inboxOf, mailEntries, newCase, read } from '#test/support/arriving-mail.ts'
import { form } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { visitor } from '#test/support/signing.ts'

/**
 * Long enough for a busy machine, and for a job that fails in the request: the sweeper runs it again after a minute.
 */
const patiently = { timeout: 100_000, interval: 250 }

/** The actions of people on items in the inbox (I6). */

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const act = (id: string, action: string, body?: unknown, by = firm.owner) =>
  by('POST', `/api/v1/inbox/${id}/${action}`, body === undefined ? {} : { body })
const file = (id: string, body: unknown, by = firm.owner) => act(id, 'file', body, by)
const isListed = async (id: string) => (await inboxOf(firm)).some((item) => item.id === id)
const mailOf = async (id: string) => (await firm.owner('GET', `/api/v1/correspondence/${id}`)).body
const documentOf = async (id: string) => (await firm.owner('GET', `/api/v1/documents/${id}`)).body
const typesOf = async (caseId: string) => (await mailEntries(firm, caseId)).map(({ type }) => type)
const newParty = async (name = 'Max Müller') =>
  (await firm.owner('POST', '/api/v1/parties', { body: { name } })).body.id

const letters = ['Bescheid.txt', 'Anlage.txt'].map((filename) => ({
  filename,
  content: `Anlage ${filename}`,
}))

async function mailWithAttachments() {
  const mail = await arrived(firm, { attachments: letters })
  const documents: string[] = mail.attachments.map((one: { document_id: string }) => one.document_id)
  return { id: mail.id as string, documents }
}

const casesOf = async (documents: string[]) =>
  (await Promise.all(documents.map(documentOf))).map(({ case_id }) => case_id)

async function scan(): Promise<string> {
  const files = { bytes: `Ein Brief, Nummer ${Math.random()}.`, filename: 'Scan.txt' }
  const { body } = await firm.owner('POST', '/api/v1/inbox/upload', { raw: form({ files }) })
  return body.uploaded[0].document_id
}

describe('filing a mail', () => {
  it('puts it into the case with its attachments, out of the inbox, with one entry whose ref is the mail', async () => {
    // Prepare
    const { id, documents } = await mailWithAttachments()
    const [case_id, party_id] = [await newCase(firm), await newParty()]

    // Act
    const { status, body } = await file(id, { case_id, party_id, assigned_to: firm.ownerUser.id })

    // Assess
    const filed = { case_id, party_id, assigned_to: firm.ownerUser.id }
    expect([status, body]).toEqual([200, expect.objectContaining({ id, state: 'filed', ...filed })])
    expect(await isListed(id)).toBe(false)
    expect(await mailOf(id)).toMatchObject(filed)
    expect(documents).toHaveLength(2)
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([case_id, case_id]), patiently)
    const { data } = (await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)).body
    expect(data.map(({ type, ref }: { type: string; ref: unknown }) => [type, ref])).toEqual([
      ['mail.filed', { type: 'correspondence', id }],
      ['case.created', expect.anything()],
    ])
    expect((await mailEntries(firm, case_id))[0]?.actor).toMatchObject({ name: firm.ownerUser.name })
    const listed = await firm.owner('GET', `/api/v1/correspondence?case_id=${case_id}&party_id=${party_id}`)
    expect(listed.body.data.map((one: { id: string }) => one.id)).toEqual([id])
  })

  it('twice into the same case is one entry', async () => {
    const [{ id }, case_id] = await Promise.all([mailWithAttachments(), newCase(firm)])

    await file(id, { case_id })
    const { status } = await file(id, { case_id })

    expect(status).toBe(200)
    expect(await typesOf(case_id)).toEqual(['mail.filed'])
  })

  it('into another case takes the attachments along, but not the one that somebody has put elsewhere', async () => {
    // Prepare
    const { id, documents } = await mailWithAttachments()
    const [kept = '', moved = ''] = documents
    const [first, second, own] = [await newCase(firm), await newCase(firm), await newCase(firm)]
    await file(id, { case_id: first })
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([first, first]), patiently)
    await firm.owner('POST', `/api/v1/documents/${kept}/assign`, { body: { case_id: own } })

    // Act
    await file(id, { case_id: second })

    // Assess
    await vi.waitFor(async () => expect(await casesOf([moved])).toEqual([second]), patiently)
    expect(await casesOf([kept])).toEqual([own])
    expect(await typesOf(first)).toEqual(['mail.filed', 'mail.unfiled'])
    expect(await typesOf(second)).toEqual(['mail.filed'])
  })

  it('puts the attachments into the case too if the mail is filed before it is parsed', async () => {
    const case_id = await newCase(firm)
    const id = await deliver(firm, { attachments: letters })

    const { status } = await file(id, { case_id })
    const { attachments } = await read(firm, id)

    expect(status).toBe(200)
    const documents = attachments.map((one: { document_id: string }) => one.document_id)
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([case_id, case_id]), patiently)
    expect(await typesOf(case_id)).toEqual(['mail.filed'])
  })

  it('to a user alone leaves it in the inbox', async () => {
    const { id } = await mailWithAttachments()

    const { body } = await file(id, { assigned_to: firm.ownerUser.id })

    expect(body).toMatchObject({ state: 'open', assigned_to: firm.ownerUser.id, case_id: null })
    expect(await isListed(id)).toBe(true)
    expect((await file(id, { assigned_to: null })).body.assigned_to).toBeNull()
  })

  it('with a party alone takes it out of the inbox', async () => {
    const [{ id }, party_id] = await Promise.all([mailWithAttachments(), newParty()])

    const { body } = await file(id, { party_id })

    expect(body).toMatchObject({ state: 'filed', party_id, case_id: null })
    expect(await isListed(id)).toBe(false)
  })

  it('with `case_id` null brings it back, with its attachments', async () => {
    const [{ id, documents }, case_id] = await Promise.all([mailWithAttachments(), newCase(firm)])
    await file(id, { case_id })
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([case_id, case_id]), patiently)

    const { body } = await file(id, { case_id: null })

    expect(body).toMatchObject({ state: 'open', case_id: null })
    expect(await isListed(id)).toBe(true)
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([null, null]), patiently)
    expect(await typesOf(case_id)).toEqual(['mail.filed', 'mail.unfiled'])
  })

  it.each(['closed', 'archived'])('accepts a case that is %s', async (status) => {
    const [{ id }, case_id] = await Promise.all([mailWithAttachments(), newCase(firm)])
    await firm.owner('PUT', `/api/v1/cases/${case_id}`, { body: { name: 'Erledigt', status } })

    expect((await file(id, { case_id })).body).toMatchObject({ state: 'filed', case_id })
  })

  it('refuses cases, parties and users that do not exist, were deleted or belong to others, and changes nothing', async () => {
    // Prepare
    const { id } = await mailWithAttachments()
    const [deleted, foreign] = [await newCase(firm), await newCase(stranger)]
    await firm.owner('DELETE', `/api/v1/cases/${deleted}`)
    const { user: left } = await firm.colleague()
    await firm.owner('PATCH', `/api/v1/users/${left.id}`, { body: { active: false } })

    // Act
    const answers = await Promise.all(
      [
        { case_id: deleted },
        { case_id: foreign },
        { case_id: 'x' },
        { party_id: newId('party') },
        { assigned_to: stranger.ownerUser.id },
        { assigned_to: left.id },
        {},
        { case_id: 7 },
      ].map((body) => file(id, body)),
    )

    // Assess
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [404, 'CASE_NOT_FOUND'],
      [404, 'CASE_NOT_FOUND'],
      [404, 'CASE_NOT_FOUND'],
      [404, 'PARTY_NOT_FOUND'],
      [404, 'USER_NOT_FOUND'],
      [404, 'USER_NOT_FOUND'],
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
    ])
    expect(answers[5]?.body.error.message).toContain('is deactivated')
    expect(await isListed(id)).toBe(true)
    expect(await mailOf(id)).toMatchObject({ case_id: null, party_id: null, assigned_to: null })
  })

  it('moves it from a deleted case into another one, with its attachments', async () => {
    const { id, documents } = await mailWithAttachments()
    const [deleted, other] = [await newCase(firm), await newCase(firm)]
    await file(id, { case_id: deleted })
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([deleted, deleted]), patiently)
    await firm.owner('DELETE', `/api/v1/cases/${deleted}`)

    const { status } = await file(id, { case_id: other })

    expect([status, (await mailOf(id)).case_id]).toEqual([200, other])
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([other, other]), patiently)
    expect(await typesOf(other)).toEqual(['mail.filed'])
  })

  it('accepts ids with and without their prefixes', async () => {
    const [{ id }, case_id, party_id] = await Promise.all([mailWithAttachments(), newCase(firm), newParty()])

    const { body } = await file(id.slice('corr_'.length), {
      case_id,
      party_id: party_id.slice('pty_'.length),
    })

    expect(body).toMatchObject({ id, case_id, party_id })
  })

  it('by two people at once ends in one of the two cases, with the attachments, and with matching timelines', async () => {
    // Prepare
    const { id, documents } = await mailWithAttachments()
    const cases = await Promise.all([newCase(firm), newCase(firm)])
    const { api: colleague } = await firm.colleague()

    // Act
    const answers = await Promise.all([
      file(id, { case_id: cases[0] }),
      file(id, { case_id: cases[1] }, colleague),
    ])

    // Assess
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { case_id } = await mailOf(id)
    expect(cases).toContain(case_id)
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([case_id, case_id]), patiently)
    const other = cases.find((one) => one !== case_id) ?? ''
    expect(await typesOf(case_id)).toEqual(['mail.filed'])
    expect(await typesOf(other)).toEqual(['mail.filed', 'mail.unfiled'])
  })

  it('puts it into the case, even if a colleague dismisses it at the same moment', async () => {
    const [{ id }, case_id] = await Promise.all([mailWithAttachments(), newCase(firm)])
    const { api: colleague } = await firm.colleague()

    await Promise.all([file(id, { case_id }), act(id, 'dismiss', undefined, colleague)])

    expect(await mailOf(id)).toMatchObject({ case_id })
    expect((await act(id, 'dismiss')).body).toMatchObject({ state: 'filed', case_id })
  })
})

describe('dismissing and reopening a mail', () => {
  it('takes it out of the inbox and brings it back, and each may be repeated', async () => {
    const { id } = await mailWithAttachments()

    const away = [await act(id, 'dismiss'), await act(id, 'dismiss')]
    const wasListed = await isListed(id)
    const back = [await act(id, 'reopen'), await act(id, 'reopen')]

    expect(away.map(({ status, body }) => [status, body.state])).toEqual(Array(2).fill([200, 'dismissed']))
    expect(wasListed).toBe(false)
    expect(back.map(({ status, body }) => [status, body.state])).toEqual(Array(2).fill([200, 'open']))
    expect(await isListed(id)).toBe(true)
  })

  it('leaves a dismissed mail to be read, answered and filed', async () => {
    const [{ id }, case_id] = await Promise.all([mailWithAttachments(), newCase(firm)])
    await act(id, 'dismiss')

    const reply = await firm.owner('POST', '/api/v1/email/outbound/reply-envelope', {
      body: { correspondence_id: id },
    })
    const sent = await firm.owner('POST', `/api/v1/email/outbound/drafts/${reply.body.id}/send`)

    expect([reply.status, sent.status]).toEqual([201, 200])
    expect(await isListed(id)).toBe(false)
    expect((await file(id, { case_id })).body.state).toBe('filed')
  })

  it('reopening a filed mail takes it and its attachments out of the case, with one entry', async () => {
    const [{ id, documents }, case_id] = await Promise.all([mailWithAttachments(), newCase(firm)])
    await file(id, { case_id })
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([case_id, case_id]), patiently)

    const { body } = await act(id, 'reopen')

    expect(body).toMatchObject({ state: 'open', case_id: null })
    expect(await isListed(id)).toBe(true)
    await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([null, null]), patiently)
    expect(await typesOf(case_id)).toEqual(['mail.filed', 'mail.unfiled'])
  })
})

describe('a document of the inbox', () => {
  it('is filed with its party, out of the inbox, with one entry whose ref is the document', async () => {
    const [id, case_id, party_id] = await Promise.all([scan(), newCase(firm), newParty()])

    const { status, body } = await file(id, { case_id, party_id })
    await file(id, { case_id })

    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ id, kind: 'document', state: 'filed', case_id, party_id }),
    ])
    expect(await isListed(id)).toBe(false)
    expect((await documentOf(id)).parties).toEqual([{ id: party_id, name: 'Max Müller', is_primary: true }])
    const { data } = (await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)).body
    expect(data.map(({ type, ref }: { type: string; ref: unknown }) => [type, ref])).toEqual([
      ['document.assigned', { type: 'document', id }],
      ['case.created', expect.anything()],
    ])
  })

  it('prevents the deletion of its party', async () => {
    const [id, party_id] = await Promise.all([scan(), newParty('Bernd Schulze')])
    await file(id, { party_id })

    const { status, body } = await firm.owner('DELETE', `/api/v1/parties/${party_id}`)

    expect([status, body.error.code]).toEqual([409, 'PARTY_IN_USE'])
  })

  it('is dismissed and reopened, out of its case and folder', async () => {
    const [id, case_id] = await Promise.all([scan(), newCase(firm)])

    const away = await act(id, 'dismiss')
    const wasListed = await isListed(id)
    await file(id, { case_id })
    const back = await act(id, 'reopen')

    expect([away.body.state, wasListed]).toEqual(['dismissed', false])
    expect(back.body).toMatchObject({ state: 'open', case_id: null })
    expect(await isListed(id)).toBe(true)
    expect((await documentOf(id)).case_id).toBeNull()
  })

  it('that is assigned to a folder or a case leaves the inbox, and comes back when it is in neither', async () => {
    const id = await scan()
    const folder_id = (await firm.owner('POST', '/api/v1/folders', { body: { name: 'Post' } })).body.id
    const assign = (body: object) => firm.owner('POST', `/api/v1/documents/${id}/assign`, { body })

    await assign({ folder_id })
    const inFolder = await isListed(id)
    await assign({ folder_id: null })
    const inNone = await isListed(id)
    await firm.owner('POST', '/api/v1/documents/bulk-assign', {
      body: { document_ids: [id], case_id: await newCase(firm) },
    })

    expect([inFolder, inNone]).toEqual([false, true])
    await vi.waitFor(async () => expect(await isListed(id)).toBe(false), patiently)
  })

  it('that an envelope puts into its case leaves the inbox', async () => {
    const [id, case_id] = await Promise.all([scan(), newCase(firm)])
    const signers = [{ name: 'Anna Meier', email: 'anna@example.com' }]

    const { status } = await firm.owner('POST', `/api/v1/cases/${case_id}/signing-envelopes`, {
      body: { title: 'Vollmacht', document_ids: [id], signers },
    })

    expect(status).toBe(201)
    await vi.waitFor(async () => expect(await isListed(id)).toBe(false), patiently)
  })

  it('that was deleted is in the inbox no more', async () => {
    const id = await scan()

    await firm.owner('DELETE', `/api/v1/documents/${id}`)

    expect(await isListed(id)).toBe(false)
    expect((await act(id, 'dismiss')).body.error.code).toBe('INBOX_ITEM_NOT_FOUND')
  })
})

it.each([
  'correspondence',
  'document',
  'beaMessage',
] as const)('an item that is not there is refused before what it is filed to: %s', async (kind) => {
  const unknown = [{ party_id: newId('party') }, { assigned_to: newId('user') }, { case_id: newId('case') }]

  const answers = await Promise.all(unknown.map((body) => file(newId(kind), body)))

  expect(answers.map(({ body }) => body.error.code)).toEqual(unknown.map(() => 'INBOX_ITEM_NOT_FOUND'))
})

it('an attachment that an envelope was sent with stays usable when its mail moves to another case', async () => {
  // Prepare
  const { id, documents } = await mailWithAttachments()
  const [first, second] = [await newCase(firm), await newCase(firm)]
  await file(id, { case_id: first })
  await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([first, first]), patiently)
  const { body: envelope } = await firm.owner('POST', `/api/v1/cases/${first}/signing-envelopes`, {
    body: {
      title: 'Vollmacht',
      document_ids: documents.slice(0, 1),
      signers: [{ name: 'Anna Meier', email: 'anna@example.com' }],
    },
  })
  const path = `/api/v1/signing/envelopes/${envelope.id}`
  await firm.owner('POST', `${path}/send`, { body: { send_emails: false } })

  // Act
  await file(id, { case_id: second })
  await vi.waitFor(async () => expect(await casesOf(documents)).toEqual([second, second]), patiently)

  // Assess
  const link = await firm.owner('POST', `${path}/signers/${envelope.signers[0].id}/link`)
  const signer = visitor(firm, link.body.url.split('/sign/')[1])
  await signer.open()
  expect((await signer.ask('GET', `/documents/${envelope.documents[0].id}`)).status).toBe(200)
  const removal = await firm.owner('DELETE', `/api/v1/documents/${documents[0]}`)
  expect([removal.status, removal.body.error?.code]).toEqual([409, 'DOCUMENT_IN_USE'])
  expect((await signer.sign()).status).toBe(303)
})
