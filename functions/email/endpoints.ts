import * as z from 'zod'
import type { DirectSendService } from '#correspondence/direct-sends.ts'
import type { DraftService } from '#correspondence/drafts.ts'
import type { ReplyService } from '#correspondence/replies.ts'
import {
  DirectSendInput,
  Draft,
  DraftInput,
  DraftSummary,
  ForwardInput,
  ReplyInput,
  SendResult,
  SentCorrespondence,
  Signature,
} from '#correspondence/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pagesOf } from '#kernel/page.ts'

const endpoint = endpointsOf<{
  drafts: DraftService
  direct: DirectSendService
  replies: ReplyService
}>()

const base = '/api/v1/email/outbound'
const id = idOf('draft')
const newDraft = { status: 201 as const, output: Draft, etag: Draft }
const oneDraft = { params: { id }, output: Draft, etag: Draft }
const correspondenceId = 'corr_01993f66-2d18-7c40-b3a9-8e5f1c7d2a64'
const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const document = {
  document_id: 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31',
  filename: 'Klageschrift Müller.pdf',
}
const example = {
  id: 'draft_01993f65-90c3-7e51-a7b8-4f2d6c8e1b05',
  to: ['Anna Meier <anna.meier@example.com>'],
  cc: [],
  bcc: [],
  subject: 'Entwurf der Klageschrift',
  body_html: '<p>Sehr geehrte Frau Meier,</p><p>anbei der Entwurf.</p>',
  attachments: [document],
  attachments_as: 'files' as const,
  case_id: caseId,
  in_reply_to: null,
  warnings: [],
  status: 'draft' as const,
  created_at: '2026-03-16T08:50:00.000Z',
  updated_at: '2026-03-16T08:50:00.000Z',
}
const { body_html: _, ...summary } = example
const written = {
  to: example.to,
  subject: example.subject,
  body_html: example.body_html,
  case_id: caseId,
  attachments: [document.document_id],
}
const result = {
  success: true,
  email_id: '01993f66-2d18-7c40-b3a9-8e5f1c7d2a64',
  message_id: '0107019a3f662d18-5c1e7b90-4a2d-4f83-9c66-1e0b8d7a3f52-000000',
  sent_at: '2026-03-16T08:55:00.000Z',
}

const references = ['CASE_NOT_FOUND', 'DOCUMENT_NOT_FOUND'] as const
const tooLarge = ['ATTACHMENT_TOO_LARGE', 'PAYLOAD_TOO_LARGE'] as const
const sendFailures = {
  413: [...tooLarge],
  502: ['MAIL_NOT_SENT'],
} as const

const limits =
  'To attach documents, the key also needs the scope `documents:read`. `to`, `cc` and `bcc` have at most 50 recipients together. Attachments have at most 6 MiB together. This limit does not apply to `attachments_as: "links"`: the mail then contains links to the documents, which are valid for 30 days.'

const onceOnly =
  'If the answer is lost, repeat the same request: the mail is not sent twice. While the outcome is unknown, the answer is 409 `SEND_IN_PROGRESS`. If the mail provider has reported nothing for ten minutes, the answer is 502 `MAIL_NOT_SENT`.'

export const createDraft = endpoint({
  ...newDraft,
  method: 'POST',
  path: `${base}/drafts`,
  access: 'inbox:write',
  summary: 'Create a draft',
  description: `All fields are optional. A draft belongs to the user of the key. ${limits}`,
  // The request may have no body.
  body: DraftInput.prefault({}),
  errors: { 404: [...references], 409: ['UPLOAD_INCOMPLETE'], 413: [...tooLarge] },
  example: { body: written, answer: example },
  handle: ({ drafts }, { actor, body }) => drafts.create(actor, body),
})

export const listDrafts = endpoint({
  method: 'GET',
  path: `${base}/drafts`,
  access: 'inbox:write',
  summary: 'List your unsent drafts, newest first',
  ...pagesOf(DraftSummary),
  example: { answer: { data: [summary], pagination: onePage } },
  handle: ({ drafts }, { actor, query }) => drafts.list(actor, query),
})

export const getDraft = endpoint({
  ...oneDraft,
  method: 'GET',
  path: `${base}/drafts/{id}`,
  access: 'inbox:write',
  summary: 'Get a draft',
  errors: { 404: ['DRAFT_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: example },
  handle: ({ drafts }, { actor, params }) => drafts.get(actor, params.id),
})

export const updateDraft = endpoint({
  ...oneDraft,
  method: 'PUT',
  path: `${base}/drafts/{id}`,
  access: 'inbox:write',
  summary: 'Change a draft',
  description:
    'Changes only the fields in the body; `null` clears a field. If sending the draft has failed, its status becomes `draft` again, and the next attempt sends a new mail.',
  body: DraftInput,
  errors: {
    404: ['DRAFT_NOT_FOUND', ...references],
    409: ['DRAFT_ALREADY_SENT', 'UPLOAD_INCOMPLETE', 'ATTACHMENT_GONE'],
    413: [...tooLarge],
  },
  example: {
    params: { id: example.id },
    body: { subject: 'Klageschrift zur Durchsicht' },
    answer: {
      ...example,
      subject: 'Klageschrift zur Durchsicht',
      updated_at: '2026-03-16T08:51:00.000Z',
    },
  },
  handle: ({ drafts }, { actor, params, body, precondition }) =>
    drafts.update(actor, params.id, body, precondition),
})

export const deleteDraft = endpoint({
  method: 'DELETE',
  path: `${base}/drafts/{id}`,
  access: 'inbox:write',
  summary: 'Delete a draft',
  params: { id },
  output: z.void(),
  etag: Draft,
  errors: { 404: ['DRAFT_NOT_FOUND'], 409: ['DRAFT_ALREADY_SENT'] },
  example: { params: { id: example.id } },
  handle: ({ drafts }, { actor, params, precondition }) => drafts.remove(actor, params.id, precondition),
})

export const sendDraft = endpoint({
  method: 'POST',
  path: `${base}/drafts/{id}/send`,
  access: 'inbox:write',
  actsOutside: true,
  summary: 'Send a draft',
  description: `Sends the draft as it is stored. A draft is sent once: a second call returns the same answer. To avoid sending a change that you have not seen, send the ETag of the draft that you looked at as \`If-Match\`. ${onceOnly}`,
  params: { id },
  output: SendResult,
  condition: Draft,
  storedAlone: 'A draft is sent once (M2).',
  errors: {
    ...sendFailures,
    404: ['DRAFT_NOT_FOUND', 'CASE_NOT_FOUND'],
    409: ['SEND_IN_PROGRESS', 'ATTACHMENT_GONE', 'UPLOAD_INCOMPLETE'],
  },
  example: { params: { id: example.id }, answer: result },
  handle: ({ drafts }, { actor, params, baseUrl, precondition }) =>
    drafts.send(actor, params.id, { baseUrl, precondition }),
})

export const sendMail = endpoint({
  method: 'POST',
  path: `${base}/send`,
  access: 'inbox:write',
  actsOutside: true,
  ownKey: 'idempotency_key',
  summary: 'Send a mail',
  description: `Accepts two shapes of body. With \`to_recipients\` (and \`cc_recipients\`, \`bcc_recipients\`), \`idempotency_key\` is required, and the answer is a \`SendResult\`. With \`to\` (and \`cc\`, \`bcc\`), the answer is a \`SentCorrespondence\`. For 30 days, a request with the same key and content gets the same answer and sends no second mail. ${onceOnly} ${limits}`,
  body: DirectSendInput,
  output: z.union([SendResult, SentCorrespondence]),
  storedAlone: 'The key is stored before the provider is called, so the mail is sent once (M1).',
  errors: {
    ...sendFailures,
    404: [...references],
    409: ['IDEMPOTENCY_KEY_REUSED', 'SEND_IN_PROGRESS', 'UPLOAD_INCOMPLETE'],
  },
  example: {
    body: {
      idempotency_key: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      to_recipients: example.to,
      subject: example.subject,
      body_html: example.body_html,
    },
    answer: result,
  },
  handle: ({ direct }, { actor, body, baseUrl }) => direct.send(actor, body, { baseUrl }),
})

export const createReply = endpoint({
  ...newDraft,
  method: 'POST',
  path: `${base}/reply-envelope`,
  access: 'inbox:write',
  summary: 'Create a draft that replies to a mail',
  description:
    'The draft is addressed to `Reply-To`, or to the sender if there is none. If your office sent the mail, the draft is addressed to its recipients. `reply_all` adds the other recipients. Addresses of your office are left out. `warnings` says if `Reply-To` is an address of another organisation than the sender’s. The answer is 400 if the mail has no address to reply to, and 409 if it has just arrived and is not read yet.',
  body: ReplyInput,
  errors: { 404: ['CORRESPONDENCE_NOT_FOUND'], 409: ['EXTRACTION_PENDING'] },
  example: {
    body: { correspondence_id: correspondenceId, reply_all: false },
    answer: {
      ...example,
      subject: 'Re: Entwurf der Klageschrift',
      body_html:
        '<p><br /></p><p>Am 16.03.2026 um 09:55 schrieb Dr. Jana Vogt &lt;2f0c5a1d8e10@inbound.example.de&gt;:</p><blockquote type="cite"><p>Sehr geehrte Frau Meier,</p><p>anbei der Entwurf.</p></blockquote>',
      attachments: [],
      in_reply_to: '<01993f66-2d18-7c40-b3a9-8e5f1c7d2a64@inbound.example.de>',
    },
  },
  handle: ({ replies }, { actor, body }) => replies.reply(actor, body),
})

export const createForward = endpoint({
  ...newDraft,
  method: 'POST',
  path: `${base}/forward-envelope`,
  access: 'inbox:write',
  summary: 'Create a draft that forwards a mail',
  description:
    'The draft has the attachments of the mail. If there are any, the key needs the scope `documents:read`. The draft has no recipients, and it begins a new thread.',
  body: ForwardInput,
  errors: { 404: ['CORRESPONDENCE_NOT_FOUND'], 409: ['EXTRACTION_PENDING'] },
  example: {
    body: { correspondence_id: correspondenceId },
    answer: {
      ...example,
      to: [],
      subject: 'Fwd: Entwurf der Klageschrift',
      body_html:
        '<p><br /></p><p>Am 16.03.2026 um 09:55 schrieb Dr. Jana Vogt &lt;2f0c5a1d8e10@inbound.example.de&gt;:</p><blockquote type="cite"><p>Sehr geehrte Frau Meier,</p><p>anbei der Entwurf.</p></blockquote>',
    },
  },
  handle: ({ replies }, { actor, body }) => replies.forward(actor, body),
})

export const getSignature = endpoint({
  method: 'GET',
  path: `${base}/signature`,
  access: 'inbox:write',
  summary: 'Get your signature',
  description: '`signature_html` is empty if no signature is set. `PATCH /api/v1/users/{id}` sets it.',
  output: Signature,
  example: { answer: { signature_html: '<p>Dr. Jana Vogt<br />Rechtsanwältin</p>' } },
  handle: ({ replies }, { actor }) => replies.signature(actor),
})
