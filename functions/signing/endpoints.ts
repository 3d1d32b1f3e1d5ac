import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf, pageOnly, pagesOf } from '#kernel/page.ts'
import type { SigningService } from '#signing/envelopes/signing-service.ts'
import {
  CaseEnvelope,
  Envelope,
  EnvelopeAudit,
  EnvelopeChanges,
  EnvelopeInput,
  EnvelopeQuery,
  PromotionInput,
  SendInput,
  SignerLink,
  SignersInput,
  VoidInput,
} from '#signing/schema.ts'

const endpoint = endpointsOf<{ signing: SigningService }>()

const base = '/api/v1/signing'
const one = `${base}/envelopes/{id}` as const
const id = idOf('envelope')
const oneEnvelope = { params: { id }, output: Envelope, etag: Envelope }
const signer_id = idOf('signer')
const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const documentId = 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31'
const anna = {
  id: 'signer_01993f70-1c52-7b3a-8d47-2e9f6a0c4b18',
  name: 'Anna Meier',
  email: 'anna.meier@example.com',
  role: 'signer' as const,
  status: 'pending' as const,
  order: 1,
  signed_at: null,
  sent_at: null,
  opened_at: null,
  declined_at: null,
  decline_reason: null,
  delivery: null,
  locked: false,
}
const draft = {
  id: 'env_01993f70-1c50-7e94-a6d2-5b8c3f1e7a09',
  case_id: caseId,
  title: 'Vollmacht Meier',
  status: 'draft' as const,
  status_reason: null,
  signing_order: 'parallel' as const,
  message: 'Bitte unterschreiben Sie die beigefügte Vollmacht.',
  documents: [
    {
      id: 'sigdoc_01993f70-1c51-7d08-9f35-7a4e2c6b0d81',
      document_id: documentId,
      filename: 'Vollmacht.pdf',
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      sealed_document_id: null,
    },
  ],
  warnings: [],
  signers: [anna],
  reminders: null,
  expires_at: null,
  created_by: 'usr_01993f5d-0a37-7c61-8b92-4d1e6f3a7c05',
  created_at: '2026-03-16T09:00:00.000Z',
  sent_at: null,
  completed_at: null,
  declined_at: null,
  voided_at: null,
  void_reason: null,
}
const sent = {
  ...draft,
  status: 'sent' as const,
  signers: [{ ...anna, delivery: 'queued' as const }],
  sent_at: '2026-03-16T09:05:00.000Z',
  expires_at: '2026-04-15T09:05:00.000Z',
}
const bert = { name: 'Bert Schulze', email: 'bert.schulze@example.com', role: 'approver' as const }
const createBody = {
  title: draft.title,
  document_ids: [documentId],
  signers: [{ name: anna.name, email: anna.email }],
  message: draft.message,
}
const given = { params: { id: draft.id } }
const notFound = { 404: ['ENVELOPE_NOT_FOUND'] } as const
const documentErrors = {
  404: ['CASE_NOT_FOUND', 'DOCUMENT_NOT_FOUND'],
  409: ['UPLOAD_INCOMPLETE'],
  413: ['PAYLOAD_TOO_LARGE'],
} as const

/** If the stage sends no mail. */
const mailErrors = { 502: ['MAIL_NOT_SENT'] } as const

const documentRules =
  'A document must belong to this case or to no case; a document without a case is assigned to this one. The current bytes of the documents will be signed. At most 20 documents, 50 MiB together.'

export const listSignedDocuments = endpoint({
  method: 'GET',
  path: '/api/v1/cases/{id}/signed-documents',
  access: 'documents:read',
  summary: 'List the envelopes of a case, newest first',
  params: { id: idOf('case') },
  ...pagesOf(CaseEnvelope),
  errors: { 404: ['CASE_NOT_FOUND'] },
  example: {
    params: { id: caseId },
    answer: {
      data: [
        {
          id: draft.id,
          title: draft.title,
          status: 'completed',
          signers: [{ name: anna.name, status: 'signed', signed_at: '2026-03-17T18:20:00.000Z' }],
        },
      ],
      pagination: onePage,
    },
  },
  handle: ({ signing }, { actor, params, query }) => signing.listOfCase(actor, params.id, query),
})

export const createEnvelope = endpoint({
  method: 'POST',
  path: '/api/v1/cases/{id}/signing-envelopes',
  access: 'documents:write',
  summary: 'Create an envelope of documents to sign',
  description: `With \`send_emails: true\` it is sent at once, and each signer gets a link by mail when it is their turn. Otherwise it is a draft. ${documentRules}`,
  params: { id: idOf('case') },
  body: EnvelopeInput,
  status: 201,
  output: Envelope,
  etag: Envelope,
  errors: { ...documentErrors, ...mailErrors, 400: ['NO_DOCUMENTS', 'NO_SIGNERS'] },
  example: { params: { id: caseId }, body: createBody, answer: draft },
  handle: ({ signing }, { actor, params, body }) => signing.create(actor, params.id, body),
})

export const promoteToEnvelope = endpoint({
  method: 'POST',
  path: `${base}/promote-to-envelope`,
  access: 'documents:write',
  summary: 'Create a draft envelope without signers',
  description: `Add signers before you send it. ${documentRules}`,
  body: PromotionInput,
  status: 201,
  output: Envelope,
  etag: Envelope,
  errors: { ...documentErrors, 400: ['NO_DOCUMENTS'] },
  example: {
    body: { case_id: caseId, document_ids: [documentId], title: draft.title },
    answer: { ...draft, message: null, signers: [] },
  },
  handle: ({ signing }, { actor, body }) => signing.promote(actor, body),
})

export const listEnvelopes = endpoint({
  method: 'GET',
  path: `${base}/envelopes`,
  access: 'documents:read',
  summary: 'List envelopes, newest first',
  query: EnvelopeQuery,
  output: pageOf(Envelope),
  example: { query: { status: 'sent' }, answer: { data: [sent], pagination: onePage } },
  handle: ({ signing }, { actor, query }) => signing.list(actor, query),
})

export const getEnvelope = endpoint({
  ...oneEnvelope,
  method: 'GET',
  path: one,
  access: 'documents:read',
  summary: 'Get an envelope',
  errors: notFound,
  example: { ...given, answer: sent },
  handle: ({ signing }, { actor, params }) => signing.get(actor, params.id),
})

export const updateEnvelope = endpoint({
  ...oneEnvelope,
  method: 'PATCH',
  path: one,
  access: 'documents:write',
  summary: 'Change an envelope',
  description:
    'Changes only the fields in the body; `null` resets a field to its default. After sending, only `expires_at` and `reminders` can be changed.',
  body: EnvelopeChanges,
  errors: { ...notFound, 409: ['ENVELOPE_NOT_DRAFT', 'ENVELOPE_ENDED'] },
  example: {
    ...given,
    body: { reminders: { first_after_days: 3, repeat_every_days: 7 } },
    answer: { ...sent, reminders: { first_after_days: 3, repeat_every_days: 7 } },
  },
  handle: ({ signing }, { actor, params, body, precondition }) =>
    signing.change(actor, params.id, body, precondition),
})

export const addEnvelopeSigners = endpoint({
  method: 'POST',
  path: `${one}/signers`,
  access: 'documents:write',
  summary: 'Add signers to a draft envelope',
  params: { id },
  body: SignersInput,
  status: 201,
  output: Envelope,
  errors: { ...notFound, 409: ['ENVELOPE_NOT_DRAFT'] },
  example: {
    ...given,
    body: { signers: [bert] },
    answer: {
      ...draft,
      signers: [anna, { ...anna, ...bert, id: 'signer_01993f72-64d0-7f19-b2a8-0c7d5e3f9b46', order: 2 }],
    },
  },
  handle: ({ signing }, { actor, params, body }) => signing.addSigners(actor, params.id, body),
})

export const removeEnvelopeSigner = endpoint({
  method: 'DELETE',
  path: `${one}/signers/{signer_id}`,
  access: 'documents:write',
  summary: 'Remove a signer from a draft envelope',
  params: { id, signer_id },
  output: z.void(),
  errors: { 404: ['ENVELOPE_NOT_FOUND', 'SIGNER_NOT_FOUND'], 409: ['ENVELOPE_NOT_DRAFT'] },
  example: { params: { id: draft.id, signer_id: anna.id } },
  handle: ({ signing }, { actor, params }) => signing.removeSigner(actor, params.id, params.signer_id),
})

export const sendEnvelope = endpoint({
  ...oneEnvelope,
  method: 'POST',
  path: `${one}/send`,
  access: 'documents:write',
  summary: 'Send a draft envelope',
  description:
    'Each signer gets a link by mail when it is their turn. With `send_emails: false` nobody gets a mail: get the links one by one with `…/signers/{signer_id}/link`. If the envelope was sent already, nothing changes. With its `ETag` as `If-Match`, a draft is sent only if nobody has changed it since you read it.',
  body: SendInput,
  errors: {
    400: ['NO_SIGNERS'],
    404: ['ENVELOPE_NOT_FOUND', 'CASE_NOT_FOUND', 'DOCUMENT_NOT_FOUND'],
    409: ['ENVELOPE_ENDED'],
    ...mailErrors,
  },
  example: { ...given, body: { send_emails: true }, answer: sent },
  handle: ({ signing }, { actor, params, body, precondition }) =>
    signing.send(actor, params.id, body, precondition),
})

export const remindSigners = endpoint({
  ...oneEnvelope,
  method: 'POST',
  path: `${one}/remind`,
  access: 'documents:write',
  summary: 'Remind the signers whose turn it is',
  description: 'Each of them gets a new link by mail; the previous link stops working.',
  errors: { ...notFound, ...mailErrors, 409: ['ENVELOPE_NOT_SENT', 'ENVELOPE_ENDED'] },
  example: { ...given, answer: sent },
  handle: ({ signing }, { actor, params, precondition }) => signing.remind(actor, params.id, precondition),
})

export const voidEnvelope = endpoint({
  ...oneEnvelope,
  method: 'POST',
  path: `${one}/void`,
  access: 'documents:write',
  summary: 'Void a sent envelope',
  description:
    'Its links stop working at once. Nobody gets a mail. With its `ETag` as `If-Match`, the envelope is voided only if nobody has signed or changed it since you read it.',
  body: VoidInput,
  errors: { ...notFound, 409: ['ENVELOPE_NOT_SENT', 'ENVELOPE_ENDED'] },
  example: {
    ...given,
    body: { reason: 'Die Vollmacht ist überholt.' },
    answer: {
      ...sent,
      status: 'voided',
      voided_at: '2026-03-16T10:00:00.000Z',
      void_reason: 'Die Vollmacht ist überholt.',
    },
  },
  handle: ({ signing }, { actor, params, body, precondition }) =>
    signing.void(actor, params.id, body, precondition),
})

export const createSigningLink = endpoint({
  method: 'POST',
  path: `${one}/signers/{signer_id}/link`,
  access: { every: ['documents:write', 'documents:read'] },
  summary: 'Create a new link for a signer',
  description:
    'Use it to let somebody sign in the office, or send it yourself. Anybody who has the link can read the documents and sign. It is shown only in this answer, and the previous link stops working.',
  params: { id, signer_id },
  status: 201,
  output: SignerLink,
  secrets: ['url'],
  errors: {
    404: ['ENVELOPE_NOT_FOUND', 'SIGNER_NOT_FOUND'],
    409: ['ENVELOPE_NOT_SENT', 'ENVELOPE_ENDED', 'ALREADY_SIGNED', 'NOT_YOUR_TURN'],
  },
  example: {
    params: { id: draft.id, signer_id: anna.id },
    answer: {
      url: 'https://api.aktenlage.example/sign/q3Zt8bXk1LrW5vYc0HnJ7mPs2AdFg4KuEe6TiOoRxQw',
      expires_at: '2026-04-15T09:05:00.000Z',
    },
  },
  handle: ({ signing }, { actor, params, baseUrl }) =>
    signing.makeLink(actor, params.id, params.signer_id, { baseUrl }),
})

export const getEnvelopeAudit = endpoint({
  method: 'GET',
  path: `${one}/audit`,
  access: 'documents:read',
  summary: 'Get the audit trail of an envelope, oldest entry first',
  description:
    'A hash chain: each entry has the SHA-256 of its canonical JSON (RFC 8785, without `hash`), and the hash of the previous entry.',
  params: { id },
  query: pageOnly,
  output: EnvelopeAudit,
  errors: notFound,
  example: {
    ...given,
    answer: {
      data: [
        {
          seq: 2,
          at: '2026-03-16T09:05:00.000Z',
          actor: {
            type: 'user',
            id: draft.created_by,
            name: 'Dr. Jana Vogt',
            key_id: 'ak_01993f5d-3c81-7b26-9e54-8f0a2d6c1b73',
          },
          action: 'sent',
          details: { send_emails: true, expires_at: '2026-04-15T09:05:00.000Z' },
          previous_hash: '3c9909afec25354d551dae21590bb26e38d53f2173b8d3dc3eee4c047e7ab1c1',
          hash: '2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6',
        },
      ],
      pagination: onePage,
      intact: true,
    },
  },
  handle: ({ signing }, { actor, params, query }) => signing.audit(actor, params.id, query),
})
