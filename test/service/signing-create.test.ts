import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { codeOf } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import {
  anna,
  bert,
  createEnvelope,
  envelopes,
  newCase,
  newDocument,
} from '#test/support/office-envelopes.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const missing = '01993f5e-0000-7000-8000-000000000000'
const inDays = (days: number) => new Date(epochMilliseconds() + days * 24 * 60 * 60 * 1_000).toISOString()

describe('the order of refusals (S1)', () => {
  const documentLists = {
    missing: undefined,
    null: null,
    empty: [],
    'no list': 'doc',
    unknown: [`doc_${missing}`],
    known: 'known',
  }
  const signerLists = {
    missing: undefined,
    null: null,
    empty: [],
    'no list': 'Anna',
    'copies only': [{ ...anna, role: 'cc' }],
    'a copy without an address': [{ name: 'A', role: 'cc' }],
    'a name of two lines': [{ ...anna, name: 'Anna\nMeier' }],
    'no address': [{ ...anna, email: 'anna' }],
    known: [anna],
  }
  const nothing = ['missing', 'null', 'empty']

  it('is NO_DOCUMENTS, NO_SIGNERS, VALIDATION_ERROR, CASE_NOT_FOUND, DOCUMENT_NOT_FOUND, in every combination', async () => {
    // Prepare
    const [caseId, known] = await Promise.all([newCase(firm.owner), newDocument(firm.owner)])
    const combinations = Object.entries(documentLists).flatMap(([documents, document_ids]) =>
      Object.entries(signerLists).flatMap(([signers, list]) =>
        ['Vollmacht', undefined].flatMap((title) =>
          [caseId, missing].map((id) => ({ documents, document_ids, signers, list, title, id })),
        ),
      ),
    )
    const expectedOf = ({ documents, signers, title, id }: (typeof combinations)[number]) => {
      if (nothing.includes(documents)) return 'NO_DOCUMENTS'
      if (nothing.includes(signers) || signers.startsWith('cop') || signers.startsWith('a copy'))
        return 'NO_SIGNERS'
      if (documents === 'no list' || signers !== 'known' || title === undefined) return 'VALIDATION_ERROR'
      if (id !== caseId) return 'CASE_NOT_FOUND'
      return documents === 'unknown' ? 'DOCUMENT_NOT_FOUND' : undefined
    }
    const wrong: unknown[] = []

    // Act
    await inParallel(combinations, async (one) => {
      const { documents, document_ids, list: signers, title, id } = one
      const body = { title, document_ids: documents === 'known' ? [known] : document_ids, signers }
      const { status, body: answer } = await firm.owner('POST', `/api/v1/cases/${id}/signing-envelopes`, {
        body,
      })
      const code = expectedOf(one)
      const expected = code === undefined ? 201 : code.endsWith('_NOT_FOUND') ? 404 : 400
      if (status !== expected || answer.error?.code !== code) wrong.push([one, status, answer.error?.code])
    })

    // Assess
    expect(wrong).toEqual([])
    expect(combinations).toHaveLength(6 * 9 * 2 * 2)
  })

  it('is the same for a promotion, without signers', async () => {
    const case_id = await newCase(firm.owner)
    const bodies = [
      { case_id: missing },
      { case_id: missing, document_ids: null },
      { case_id: missing, document_ids: [] },
      { case_id: missing, document_ids: [missing] },
      { document_ids: [missing], title: 'Vollmacht' },
      { case_id: missing, document_ids: [missing], title: 'Vollmacht' },
      { case_id, document_ids: [missing], title: 'Vollmacht' },
    ]

    const answers = await Promise.all(
      bodies.map((body) => firm.owner('POST', '/api/v1/signing/promote-to-envelope', { body })),
    )

    expect(answers.map(codeOf)).toEqual([
      [400, 'NO_DOCUMENTS'],
      [400, 'NO_DOCUMENTS'],
      [400, 'NO_DOCUMENTS'],
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
      [404, 'CASE_NOT_FOUND'],
      [404, 'DOCUMENT_NOT_FOUND'],
    ])
  })

  it.each([
    ['a title of two lines', { title: 'Vollmacht\nund mehr' }],
    ['an empty title', { title: ' ' }],
    ['a title of 201 characters', { title: 'V'.repeat(201) }],
    ['51 signers', { signers: Array.from({ length: 51 }, () => anna) }],
    ['an unknown role', { signers: [{ ...anna, role: 'judge' }] }],
    ['an unknown order', { signing_order: 'random' }],
    ['an access code of 5 characters', { signers: [{ ...anna, access_code: '12345' }] }],
    ['a time that has passed', { expires_at: '2020-01-01T00:00:00Z' }],
    ['a time after more than 365 days', { expires_at: inDays(366) }],
    ['a time without a zone', { expires_at: '2031-01-01T00:00:00' }],
    ['reminders after 0 days', { reminders: { first_after_days: 0, repeat_every_days: 7 } }],
    ['reminders every 31 days', { reminders: { first_after_days: 1, repeat_every_days: 31 } }],
    ['21 documents', { document_ids: Array.from({ length: 21 }, () => crypto.randomUUID()) }],
    ['a document twice', { document_ids: [`doc_${missing}`, missing.toUpperCase()] }],
  ])('%s is VALIDATION_ERROR, before an unknown case', async (_, fields) => {
    const answer = await createEnvelope(firm.owner, { case_id: missing, document_ids: [missing], ...fields })

    expect(codeOf(answer)).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('a new envelope', () => {
  it('is a draft that shows what was given, with the digests of its documents and its signers in their order (S2)', async () => {
    const document = (await upload(firm.owner, { filename: 'Vollmacht.txt' })).body
    const case_id = await newCase(firm.owner)
    const expires_at = inDays(90)

    const { status, body } = await createEnvelope(firm.owner, {
      case_id,
      document_ids: [document.id],
      title: '  Vollmacht  ',
      message: 'Bitte bis Freitag.',
      signing_order: 'sequential',
      expires_at,
      reminders: { first_after_days: 3, repeat_every_days: 7 },
      signers: [
        { ...anna, access_code: 'geheim-4711' },
        { ...bert, role: 'approver' },
        { ...anna, role: 'cc' },
      ],
    })

    expect(status).toBe(201)
    expect(body).toMatchObject({
      case_id,
      title: 'Vollmacht',
      status: 'draft',
      signing_order: 'sequential',
      message: 'Bitte bis Freitag.',
      documents: [
        {
          document_id: document.id,
          filename: 'Vollmacht.txt',
          sha256: document.sha256,
          sealed_document_id: null,
        },
      ],
      signers: [
        { ...anna, role: 'signer', order: 1, status: 'pending', signed_at: null, delivery: null },
        { ...bert, role: 'approver', order: 2 },
        { ...anna, role: 'cc', order: 3 },
      ],
      reminders: { first_after_days: 3, repeat_every_days: 7 },
      expires_at,
      created_by: firm.ownerUser.id,
      sent_at: null,
      completed_at: null,
    })
    expect(JSON.stringify(body)).not.toMatch(/geheim|access_code|scrypt|link|token/)
    expect((await firm.owner('GET', `${envelopes}/${body.id}`)).body).toEqual(body)
  })

  it('takes a document of no case into its case, and tells so in the timeline; one of another case is unknown', async () => {
    // Prepare
    const [case_id, other, loose] = await Promise.all([
      newCase(firm.owner),
      newCase(firm.owner),
      newDocument(firm.owner),
    ])
    const elsewhere = (await upload(firm.owner, {}, { case_id: other })).body.id
    const foreign = await newDocument(stranger.owner)

    // Act
    const refused = await createEnvelope(firm.owner, { case_id, document_ids: [loose, elsewhere] })
    const unknown = await createEnvelope(firm.owner, { case_id, document_ids: [loose, foreign] })
    const untouched = (await firm.owner('GET', `/api/v1/documents/${loose}`)).body.case_id
    const created = await createEnvelope(firm.owner, { case_id, document_ids: [loose] })

    // Assess
    expect([refused, unknown].map(codeOf)).toEqual([
      [404, 'DOCUMENT_NOT_FOUND'],
      [404, 'DOCUMENT_NOT_FOUND'],
    ])
    expect([untouched, created.status]).toEqual([null, 201])
    expect((await firm.owner('GET', `/api/v1/documents/${loose}`)).body.case_id).toBe(case_id)
    const { data } = (await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)).body
    expect(data.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      'case.created',
      'document.assigned',
      'envelope.created',
    ])
  })

  it('is sent at once with send_emails: 30 days, everybody queued in parallel, the first in sequence, never cc', async () => {
    const signers = [anna, bert, { ...anna, role: 'cc' }]
    const before = epochMilliseconds()

    const [parallel, sequential] = await Promise.all(
      ['parallel', 'sequential'].map((signing_order) =>
        createEnvelope(firm.owner, { signing_order, signers, send_emails: true }),
      ),
    )

    for (const { status, body } of [parallel, sequential] as { status: number; body: Sent }[]) {
      expect([status, body.status]).toEqual([201, 'sent'])
      expect(Date.parse(body.expires_at) - Date.parse(body.sent_at)).toBe(30 * 24 * 60 * 60 * 1_000)
      expect(Date.parse(body.sent_at)).toBeGreaterThanOrEqual(before)
    }
    const asked = [parallel, sequential].map((answer) =>
      answer?.body.signers.map(({ delivery }: { delivery: unknown }) => delivery !== null),
    )
    expect(asked).toEqual([
      [true, true, false],
      [true, false, false],
    ])
  })

  it('is refused where the bytes of a document have not arrived', async () => {
    const case_id = await newCase(firm.owner)
    const announced = await firm.owner('POST', '/api/v1/documents/uploads', {
      body: { filename: 'Vertrag.pdf', mime_type: 'application/pdf', size_bytes: 1_000 },
    })

    const answer = await createEnvelope(firm.owner, { case_id, document_ids: [announced.body.document.id] })

    expect(codeOf(answer)).toEqual([409, 'UPLOAD_INCOMPLETE'])
  })

  it('of 20 documents and 50 signers, ten of them with access codes, is made and sent', async () => {
    const case_id = await newCase(firm.owner)
    const document_ids = await Promise.all(Array.from({ length: 20 }, () => newDocument(firm.owner)))
    const signers = Array.from({ length: 50 }, (_, at) => ({
      name: `${'N'.repeat(190)} ${at}`,
      email: `${'e'.repeat(60)}${at}@example.com`,
      access_code: at < 10 ? 'geheim-4711' : null,
    }))

    const { status, body } = await createEnvelope(firm.owner, {
      case_id,
      document_ids,
      signers,
      send_emails: true,
    })

    expect([status, body.status]).toEqual([201, 'sent'])
    const read = (await firm.owner('GET', `${envelopes}/${body.id}`)).body
    expect([read.documents.length, read.signers.length]).toEqual([20, 50])
  })

  it('of a promotion is a draft without signers that cannot be sent before it has one', async () => {
    const [case_id, document] = await Promise.all([newCase(firm.owner), newDocument(firm.owner)])
    const promoted = await firm.owner('POST', '/api/v1/signing/promote-to-envelope', {
      body: { case_id, document_ids: [document], title: 'Vollmacht' },
    })
    const path = `${envelopes}/${promoted.body.id}`

    const early = await firm.owner('POST', `${path}/send`, { body: {} })
    const copied = await firm.owner('POST', `${path}/signers`, {
      body: { signers: [{ ...anna, role: 'cc' }] },
    })
    const stillEarly = await firm.owner('POST', `${path}/send`, { body: {} })
    const added = await firm.owner('POST', `${path}/signers`, { body: { signers: [bert] } })
    const sent = await firm.owner('POST', `${path}/send`, { body: { send_emails: false } })

    expect([promoted.status, promoted.body.status, promoted.body.signers]).toEqual([201, 'draft', []])
    expect([early, stillEarly].map(codeOf)).toEqual([
      [400, 'NO_SIGNERS'],
      [400, 'NO_SIGNERS'],
    ])
    expect([copied.status, added.status, sent.status, sent.body.status]).toEqual([201, 201, 200, 'sent'])
    expect(added.body.signers.map(({ order }: { order: number }) => order)).toEqual([1, 2])
  })
})

type Sent = { status: string; expires_at: string; sent_at: string }
