import { beforeAll, describe, expect, it } from 'vitest'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

const uuid = '0193f0c2-7d1e-7a35-8c1f-2b6f0a9d4e11'

const availability = (userId: string) => ({
  user_ids: [userId, uuid],
  from: '2031-05-06T08:00:00Z',
  to: '2031-05-06T18:00:00Z',
})

describe('an unknown id among several', () => {
  let firm: Firm
  let caseId: string
  let partyId: string
  beforeAll(async () => {
    firm = await newFirm()
    caseId = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
    partyId = (await firm.owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })).body.id
  })

  it.each([
    [
      'parties of a case',
      'PARTY_NOT_FOUND',
      'pty_',
      () => ({
        path: `/api/v1/cases/${caseId}/parties`,
        body: {
          parties: [
            { id: partyId, role: 'Mandant' },
            { id: uuid, role: 'Gegner' },
          ],
        },
      }),
    ],
    [
      'staff of a case',
      'USER_NOT_FOUND',
      'usr_',
      () => ({
        path: `/api/v1/cases/${caseId}/staff`,
        body: {
          staff: [
            { id: firm.ownerUser.id, role: 'Anwalt' },
            { id: uuid, role: 'Sekretariat' },
          ],
        },
      }),
    ],
    [
      'attendees of an event',
      'USER_NOT_FOUND',
      'usr_',
      () => ({
        path: '/api/v1/calendar/events',
        body: {
          title: 'Termin',
          start: '2031-05-06T10:00:00Z',
          end: '2031-05-06T11:00:00Z',
          attendees: [firm.ownerUser.id, uuid],
        },
      }),
    ],
    [
      'users of free/busy',
      'USER_NOT_FOUND',
      'usr_',
      () => ({ path: '/api/v1/calendar/availability/freebusy', body: availability(firm.ownerUser.id) }),
    ],
    [
      'users of open slots',
      'USER_NOT_FOUND',
      'usr_',
      () => ({ path: '/api/v1/calendar/availability/open-slots', body: availability(firm.ownerUser.id) }),
    ],
    [
      'documents to assign',
      'DOCUMENT_NOT_FOUND',
      'doc_',
      () => ({ path: '/api/v1/documents/bulk-assign', body: { document_ids: [uuid], case_id: caseId } }),
    ],
    [
      'documents of an envelope',
      'DOCUMENT_NOT_FOUND',
      'doc_',
      () => ({
        path: `/api/v1/cases/${caseId}/signing-envelopes`,
        body: {
          title: 'Vollmacht',
          document_ids: [uuid],
          signers: [{ name: 'Anna Meier', email: 'anna@example.de' }],
        },
      }),
    ],
    [
      'attachments of a mail',
      'DOCUMENT_NOT_FOUND',
      'doc_',
      () => ({ path: '/api/v1/email/outbound/drafts', body: { to: ['a@example.de'], attachments: [uuid] } }),
    ],
  ])('of %s is named by a 404', async (_, code, prefix, request) => {
    const { path, body } = request()

    const { status, body: answer } = await firm.owner('POST', path, { body })

    expect([status, answer.error?.code]).toEqual([404, code])
    expect(answer.error.details).toEqual([
      { path: expect.stringMatching(/^body\./), message: `${prefix}${uuid} is unknown.` },
    ])
    expect(JSON.stringify(answer)).not.toContain(partyId)
  })
})

describe('an unknown id alone', () => {
  let firm: Firm
  let caseId: string
  let documentId: string
  let deadlineId: string
  beforeAll(async () => {
    firm = await newFirm()
    caseId = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
    documentId = (await upload(firm.owner)).body.id
    deadlineId = (await firm.owner('POST', '/api/v1/deadlines', { body: deadline() })).body.id
  })

  const times = { start: '2031-05-06T10:00:00Z', end: '2031-05-06T11:00:00Z' }
  const deadline = () => ({ title: 'Berufung', case_id: caseId, due_at: '2031-05-06' })
  const work = () => ({ case_id: caseId, date: '2026-05-06', minutes: 6, activity: 'Telefonat' })
  const assign = () => `/api/v1/documents/${documentId}/assign`

  it.each<[string, string, () => [path: string, body: object]]>([
    ['case_id', 'CASE', () => ['/api/v1/events', { title: 'Termin', ...times, case_id: uuid }]],
    ['case_id', 'CASE', () => ['/api/v1/deadlines', { ...deadline(), case_id: uuid }]],
    ['assigned_to', 'USER', () => ['/api/v1/deadlines', { ...deadline(), assigned_to: uuid }]],
    [
      'chain_id',
      'DEADLINE',
      () => ['/api/v1/deadlines', { ...deadline(), frist_type: 'nachfrist', chain_id: uuid }],
    ],
    ['user_id', 'USER', () => [`/api/v1/deadlines/${deadlineId}/delegate`, { user_id: uuid }]],
    ['case_id', 'CASE', () => [`/api/v1/cases/${caseId}/links`, { case_id: uuid }]],
    ['case_id', 'CASE', () => [assign(), { case_id: uuid }]],
    ['folder_id', 'FOLDER', () => [assign(), { folder_id: uuid }]],
    ['parent_id', 'FOLDER', () => ['/api/v1/folders', { name: 'Schriftsätze', parent_id: uuid }]],
    ['case_id', 'CASE', () => ['/api/v1/folders', { name: 'Schriftsätze', case_id: uuid }]],
    ['case_id', 'CASE', () => ['/api/v1/email/outbound/drafts', { case_id: uuid }]],
    [
      'correspondence_id',
      'CORRESPONDENCE',
      () => ['/api/v1/email/outbound/reply-envelope', { correspondence_id: uuid }],
    ],
    [
      'case_id',
      'CASE',
      () => [
        '/api/v1/signing/promote-to-envelope',
        { case_id: uuid, document_ids: [documentId], title: 'Vollmacht' },
      ],
    ],
    ['case_id', 'CASE', () => ['/api/v1/time-entries', { ...work(), case_id: uuid }]],
    ['user_id', 'USER', () => ['/api/v1/time-entries', { ...work(), user_id: uuid }]],
    ['party_id', 'PARTY', () => ['/api/v1/invoices', { case_id: caseId, party_id: uuid, lines: [] }]],
    [
      'user_id',
      'USER',
      () => ['/api/v1/api-keys', { user_id: uuid, name: 'Scanner', scopes: ['cases:read'] }],
    ],
    ['account_id', 'BEA_ACCOUNT', () => ['/api/v1/bea/auth/login', { account_id: uuid }]],
    ['account_id', 'BEA_ACCOUNT', () => ['/api/v1/bea/auth/local-login', { account_id: uuid }]],
    ['account_id', 'BEA_ACCOUNT', () => ['/api/v1/bea/drafts', { account_id: uuid }]],
    [
      'account_id',
      'BEA_ACCOUNT',
      () => ['/api/v1/bea/permissions', { account_id: uuid, user_id: uuid, rights: ['06'] }],
    ],
    [
      'login_account_id',
      'BEA_ACCOUNT',
      () => [
        '/api/v1/bea/accounts/kanzlei',
        { login_account_id: uuid, postbox_safe_id: 'DE.BRAK.1', label: 'Kanzlei' },
      ],
    ],
  ])('in %s is named by the 404 (G1): %s', async (field, noun, request) => {
    const [path, body] = request()

    const { status, body: answer } = await firm.owner('POST', path, { body })

    expect([status, answer.error?.code]).toEqual([404, `${noun}_NOT_FOUND`])
    expect(answer.error.details).toEqual([
      { path: `body.${field}`, message: expect.stringMatching(new RegExp(`${uuid} is unknown\\.$`)) },
    ])
  })
})
