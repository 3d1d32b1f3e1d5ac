import { endpointsOf } from '#http/endpoint.ts'
import type { InboxService } from '#inbox/inbox.ts'
import { FilingInput, InboxItem, InboxQuery, PossibleInboxIds, Related } from '#inbox/schema.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf } from '#kernel/page.ts'

const endpoint = endpointsOf<{ inbox: InboxService }>()

const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const documentId = 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31'
const example = {
  id: 'corr_01993f66-2d18-7c40-b3a9-8e5f1c7d2a64',
  kind: 'correspondence' as const,
  state: 'open' as const,
  subject: 'Ihr Zeichen 0012/26: Fristsetzung',
  from: { name: 'Anna Meier', email: 'anna.meier@example.com' },
  bea: null,
  received_at: '2026-03-16T08:30:00.000Z',
  case_id: null,
  party_id: 'pty_01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52',
  assigned_to: null,
  notice: null,
  triage: {
    category: 'client' as const,
    priority: 'normal' as const,
    suggested_assignment: 'usr_01993f5e-6b0f-7a1c-9d53-1e0b8d7a3f52',
    case_suggestions: [
      {
        case_id: caseId,
        confidence: 0.85,
        evidence: [{ kind: 'file_number' as const, text: 'Betreff: „Ihr Zeichen 0012/26“' }],
      },
    ],
    confidence: 0.85,
    deadline_hints: [],
    final: true,
  },
}
const filed = { ...example, state: 'filed' as const, case_id: caseId }

export const listInbox = endpoint({
  method: 'GET',
  path: '/api/v1/inbox',
  access: 'inbox:read',
  summary: 'List the inbox: items that are not filed, newest first',
  description:
    'Mail, beA messages, and documents of inbox uploads and of the ingestion webhook that are in no case and no folder. A key with the scope `bea:read` sees beA messages according to your rights: with only the right 01 neither subject nor triage is shown. Your mail that could not be delivered is listed as well, and so is a beA message of yours that a court has not acknowledged; `notice` says so.',
  query: InboxQuery,
  output: pageOf(InboxItem),
  example: { query: { kind: 'correspondence' }, answer: { data: [example], pagination: onePage } },
  handle: ({ inbox }, { actor, query }) => inbox.list(actor, query),
})

export const fileInboxItem = endpoint({
  method: 'POST',
  path: '/api/v1/inbox/{id}/file',
  access: 'inbox:write',
  summary: 'File a mail, a beA message or a document',
  description:
    'In a case, with a party, or both; `assigned_to` alone leaves it in the inbox. Changes only the fields in the body; `null` clears a field. The attachments of a mail are filed with it, unless somebody has filed them elsewhere. The case learns the references and the sender of the mail. A filed item can be filed elsewhere. A beA message needs the scopes `bea:read` and `bea:write`, and the right 08 of its account; a confidential one needs the right 11 too.',
  params: { id: PossibleInboxIds },
  body: FilingInput,
  output: InboxItem,
  errors: {
    403: ['BEA_RIGHT_MISSING'],
    404: ['INBOX_ITEM_NOT_FOUND', 'CASE_NOT_FOUND', 'PARTY_NOT_FOUND', 'USER_NOT_FOUND'],
    409: ['LEGAL_HOLD'],
  },
  example: { params: { id: example.id }, body: { case_id: caseId }, answer: filed },
  handle: ({ inbox }, { actor, params, body }) => inbox.file(actor, params.id, body),
})

export const dismissInboxItem = endpoint({
  method: 'POST',
  path: '/api/v1/inbox/{id}/dismiss',
  access: 'inbox:write',
  summary: 'Take a mail, a beA message or a document out of the inbox without filing it',
  description:
    'Nothing is deleted. A filed item stays filed. A beA message needs the same scopes and rights as filing it.',
  params: { id: PossibleInboxIds },
  output: InboxItem,
  errors: { 403: ['BEA_RIGHT_MISSING'], 404: ['INBOX_ITEM_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: { ...example, state: 'dismissed' } },
  handle: ({ inbox }, { actor, params }) => inbox.dismiss(actor, params.id),
})

export const reopenInboxItem = endpoint({
  method: 'POST',
  path: '/api/v1/inbox/{id}/reopen',
  access: 'inbox:write',
  summary: 'Bring a mail, a beA message or a document back into the inbox',
  description:
    'A filed item leaves its case: a mail together with its attachments, and a document also leaves its folder. Mail and beA messages that you sent stay in their case. The references and the sender that the case learnt from the mail are removed. The item is not filed automatically again. A beA message needs the same scopes and rights as filing it.',
  params: { id: PossibleInboxIds },
  output: InboxItem,
  errors: { 403: ['BEA_RIGHT_MISSING'], 404: ['INBOX_ITEM_NOT_FOUND'], 409: ['LEGAL_HOLD'] },
  example: { params: { id: example.id }, answer: example },
  handle: ({ inbox }, { actor, params }) => inbox.reopen(actor, params.id),
})

export const listRelated = endpoint({
  method: 'GET',
  path: '/api/v1/inbox/document/{document_id}/related',
  access: 'inbox:read',
  summary: 'List mail and documents that are related to a document',
  description:
    'Mail of the same sender, thread or case, and documents of the same case, mail or content; newest first, at most 20 of each, without the document itself.',
  params: { document_id: idOf('document') },
  output: Related,
  errors: { 404: ['DOCUMENT_NOT_FOUND'] },
  example: {
    params: { document_id: documentId },
    answer: {
      emails: [
        {
          id: example.id,
          subject: example.subject,
          from: example.from,
          received_at: example.received_at,
        },
      ],
      documents: [
        {
          id: 'doc_01993f62-5a10-7b33-9d47-3c8e1f5a7b20',
          filename: 'Klageschrift Müller.pdf',
          case_id: caseId,
        },
      ],
    },
  },
  handle: ({ inbox }, { actor, params }) => inbox.related(actor, params.document_id),
})
