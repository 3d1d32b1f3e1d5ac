import type { CorrespondenceService } from '#correspondence/correspondence.ts'
import { Correspondence, CorrespondenceQuery, CorrespondenceSummary } from '#correspondence/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage } from '#kernel/page.ts'
import { pageOrChangesOf } from '#kernel/updated-since.ts'

const endpoint = endpointsOf<{ correspondence: CorrespondenceService }>()

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
const { body_text: _text, body_html: _html, inline_images: _images, ...summary } = example

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
  method: 'GET',
  path: '/api/v1/correspondence/{id}',
  access: 'inbox:read',
  summary: 'Get a mail',
  description:
    '`delivery` says what became of it at each recipient, as far as the mail provider has reported it.',
  params: { id: idOf('correspondence') },
  output: Correspondence,
  errors: { 404: ['CORRESPONDENCE_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: example },
  handle: ({ correspondence }, { actor, params }) => correspondence.get(actor, params.id),
})

export const getRawCorrespondence = endpoint({
  method: 'GET',
  path: '/api/v1/correspondence/{id}/raw',
  access: 'inbox:read',
  summary: 'Download the whole message of a mail',
  description:
    'As it arrived, or as it was given to the mail provider: headers, bodies and attachments in the format of RFC 5322. Mail with a magic link has none.',
  params: { id: idOf('correspondence') },
  produces: 'file',
  errors: { 404: ['CORRESPONDENCE_NOT_FOUND'] },
  example: { params: { id: example.id } },
  handle: ({ correspondence }, { actor, params }) => correspondence.raw(actor, params.id),
})
