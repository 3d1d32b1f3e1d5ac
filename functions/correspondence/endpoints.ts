import * as z from 'zod'
import type { CorrespondenceService } from '#correspondence/correspondence.ts'
import {
  Correspondence,
  CorrespondenceQuery,
  CorrespondenceSummary,
  SharedLinkSummary,
} from '#correspondence/schema.ts'
import type { SharedLinkService } from '#correspondence/shared-links.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pagesOf } from '#kernel/page.ts'
import { pageOrChangesOf } from '#kernel/updated-since.ts'

const endpoint = endpointsOf<{ correspondence: CorrespondenceService; links: SharedLinkService }>()

const oneMail = {
  params: { id: idOf('correspondence') },
  errors: { 404: ['CORRESPONDENCE_NOT_FOUND'] as const },
}

const example = {
  id: 'corr_01993f66-2d18-7c40-b3a9-8e5f1c7d2a64',
  direction: 'outbound' as const,
  status: 'sent' as const,
  status_reason: null,
  from: { name: 'Dr. Jana Vogt', email: '2f0c5a1d8e10@inbound.example.de' },
  to: ['Anna Meier <anna.meier@example.com>'],
  cc: [],
  bcc: [],
  subject: 'Entwurf der Klageschrift',
  body_text: 'Sehr geehrte Frau Meier,\n\nanbei der Entwurf.',
  body_html: '<p>Sehr geehrte Frau Meier,</p><p>anbei der Entwurf.</p>',
  inline_images: [],
  case_id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  party_id: 'pty_01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52',
  assigned_to: null,
  attachments: [
    {
      document_id: 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31',
      filename: 'Klageschrift Müller.pdf',
      mime_type: 'application/pdf',
      size_bytes: 184_320,
      content_id: null,
    },
  ],
  message_id: '0107019a3f662d18-5c1e7b90-4a2d-4f83-9c66-1e0b8d7a3f52-000000',
  in_reply_to: null,
  sent_at: '2026-03-16T08:55:00.000Z',
  received_at: null,
  dated_at: null,
  delivery: [
    {
      email: 'anna.meier@example.com',
      status: 'delivered' as const,
      at: '2026-03-16T08:55:02.000Z',
      reason: null,
    },
  ],
  verdicts: null,
  sender_verified: null,
  sender_verified_reason: null,
  reply_to: [],
  protection: 'none' as const,
  triage: null,
  created_at: '2026-03-16T08:54:59.000Z',
}
const { body_text: _text, body_html: _html, inline_images: _images, dated_at: _date, ...summary } = example

export const listCorrespondence = endpoint({
  method: 'GET',
  path: '/api/v1/correspondence',
  access: 'inbox:read',
  summary: 'List and search mail, newest first',
  query: CorrespondenceQuery,
  output: pageOrChangesOf(CorrespondenceSummary),
  example: {
    query: { direction: 'outbound', search: 'klageschrift' },
    answer: { data: [summary], pagination: onePage },
  },
  handle: ({ correspondence }, { actor, query }) => correspondence.list(actor, query),
})

export const getCorrespondence = endpoint({
  ...oneMail,
  method: 'GET',
  path: '/api/v1/correspondence/{id}',
  access: 'inbox:read',
  summary: 'Get a mail',
  description:
    '`delivery` shows the outcome for each recipient, as far as the mail provider has reported it.',
  // In JSON, the bodies of a received mail may be twice as long, and twice as long again in the answer of a function.
  streamed: true,
  output: Correspondence,
  example: { params: { id: example.id }, answer: example },
  handle: ({ correspondence }, { actor, params }) => correspondence.get(actor, params.id),
})

export const getRawCorrespondence = endpoint({
  ...oneMail,
  method: 'GET',
  path: '/api/v1/correspondence/{id}/raw',
  access: 'inbox:read',
  summary: 'Download the whole message of a mail',
  description:
    'The message as it arrived, or as it was passed to the mail provider: headers, bodies and attachments in the format of RFC 5322. In sent mail, asterisks replace the tokens of magic links and of shared documents. The raw message with which the service itself sends a magic link is not available. Received mail is not changed, even if it quotes such links.',
  produces: 'file',
  example: { params: { id: example.id } },
  handle: ({ correspondence }, { actor, params }) => correspondence.raw(actor, params.id),
})

const documentId = 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31'
const link = {
  id: 'shared_01993f66-2d18-7c41-8a52-0c9e7b3d4f16',
  correspondence_id: example.id,
  case_id: example.case_id,
  documents: [{ document_id: documentId, filename: 'Klageschrift Müller.pdf' }],
  created_at: '2026-03-16T08:54:59.000Z',
  expires_at: '2026-04-15T08:54:59.000Z',
}
const listed =
  'Lists the links that open at least one document now. A link ends after 30 days, when it is deleted, or when its mail is moved to another case. It no longer opens a document that was deleted or moved out of its case.'

export const listMailLinks = endpoint({
  ...oneMail,
  method: 'GET',
  path: '/api/v1/correspondence/{id}/shared-links',
  access: 'inbox:read',
  summary: 'List the links to documents in a mail, newest first',
  description: listed,
  ...pagesOf(SharedLinkSummary),
  example: { params: { id: example.id }, answer: { data: [link], pagination: onePage } },
  handle: ({ links }, { actor, params, query }) => links.ofMail(actor, params.id, query),
})

export const deleteMailLink = endpoint({
  method: 'DELETE',
  path: '/api/v1/correspondence/{id}/shared-links/{link_id}',
  access: 'inbox:write',
  summary: 'End a link to documents in a mail',
  description: 'Its address stops working. The timeline of the mail’s case gets an entry.',
  params: { id: idOf('correspondence'), link_id: idOf('sharedLink') },
  output: z.void(),
  errors: { 404: ['CORRESPONDENCE_NOT_FOUND', 'SHARED_LINK_NOT_FOUND'] },
  example: { params: { id: example.id, link_id: link.id } },
  handle: ({ links }, { actor, params }) => links.endOfMail(actor, params.id, params.link_id),
})

export const listDocumentLinks = endpoint({
  method: 'GET',
  path: '/api/v1/documents/{id}/shared-links',
  access: 'documents:read',
  summary: 'List the links that open a document, newest first',
  description: listed,
  params: { id: idOf('document') },
  ...pagesOf(SharedLinkSummary),
  errors: { 404: ['DOCUMENT_NOT_FOUND'] },
  example: { params: { id: documentId }, answer: { data: [link], pagination: onePage } },
  handle: ({ links }, { actor, params, query }) => links.ofDocument(actor, params.id, query),
})

export const deleteDocumentLink = endpoint({
  method: 'DELETE',
  path: '/api/v1/documents/{id}/shared-links/{link_id}',
  access: 'documents:write',
  summary: 'Remove a document from a link',
  description: 'The link still opens its other documents. If none is left, it ends.',
  params: { id: idOf('document'), link_id: idOf('sharedLink') },
  output: z.void(),
  errors: { 404: ['DOCUMENT_NOT_FOUND', 'SHARED_LINK_NOT_FOUND'] },
  example: { params: { id: documentId, link_id: link.id } },
  handle: ({ links }, { actor, params }) => links.endOfDocument(actor, params.id, params.link_id),
})
