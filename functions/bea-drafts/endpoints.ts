import * as z from 'zod'
import {
  BeaDraft,
  BeaDraftChanges,
  BeaDraftInput,
  BeaDraftQuery,
  BeaDraftSummary,
  BeaResolveInput,
  BeaSendInput,
} from '#bea/drafts/draft-schema.ts'
import type { BeaDraftService } from '#bea/drafts/drafts.ts'
import type { EebService } from '#bea/eeb/eeb.ts'
import { BeaEebAnswer, BeaEebInput } from '#bea/eeb/eeb-schema.ts'
import { BeaEeb } from '#bea/messages/message-schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf } from '#kernel/page.ts'

const endpoint = endpointsOf<{ drafts: BeaDraftService; eebs: EebService }>()

const base = '/api/v1/bea/drafts'
const draft_id = idOf('beaDraft')
const oneDraft = { params: { draft_id }, output: BeaDraft, etag: BeaDraft }
const message_id = idOf('beaMessage')

const example = {
  id: 'bea_draft_01993f6a-41c2-7b60-9d8e-3a5f7c1b2e40',
  account_id: 'bea_acc_01993f69-2b7d-7a10-8c4f-6e1d3b5a7c90',
  to: [{ name: 'Landgericht München I', bea_id: 'DE.Justiz.5f1a2b3c-4d5e-6f70-8192-a3b4c5d6e7f8.a1b2' }],
  subject: 'Meier ./. Schulze, Klageerwiderung',
  body: 'Anbei die Klageerwiderung.',
  attachments: ['doc_01993f6a-2e31-7d55-8c42-6f9a1b3d8e27'],
  reference_sender: '0001/26',
  reference_recipient: '3 O 45/26',
  eeb_requested: false,
  case_id: '01993f6a-1d20-7c44-9b31-5e8f0a2c7d16',
  status: 'draft' as const,
  message_id: null,
  error: null,
  similar_messages: [],
  created_at: '2026-03-16T08:50:00.000Z',
  updated_at: '2026-03-16T08:50:00.000Z',
}
const { body: _, ...summary } = example
const written = {
  account_id: example.account_id,
  to: example.to,
  subject: example.subject,
  body: example.body,
  attachments: example.attachments,
  reference_sender: example.reference_sender,
  reference_recipient: example.reference_recipient,
  case_id: example.case_id,
}

/** The error codes that saving a draft may answer with. */
const references = ['BEA_ACCOUNT_NOT_FOUND', 'CASE_NOT_FOUND', 'DOCUMENT_NOT_FOUND'] as const

const ofAccount = 'Drafts belong to the workspace; working with a draft needs right 03 of its account.'
const ofDisconnected = 'Drafts of a disconnected account can only be read and deleted.'

export const createBeaDraft = endpoint({
  method: 'POST',
  path: base,
  access: 'bea:write',
  summary: 'Create a beA draft',
  description: `Only \`account_id\` is required. Documents also need the scope \`documents:read\`. ${ofAccount}`,
  body: BeaDraftInput,
  status: 201,
  output: BeaDraft,
  etag: BeaDraft,
  errors: { 403: ['BEA_RIGHT_MISSING'], 404: [...references] },
  example: { body: written, answer: example },
  handle: ({ drafts }, { actor, body }) => drafts.create(actor, body),
})

export const listBeaDrafts = endpoint({
  method: 'GET',
  path: base,
  access: 'bea:write',
  summary: 'List beA drafts, newest first',
  description: `Lists the drafts, sent ones too, of the accounts at which you have right 03, without their bodies. ${ofDisconnected}`,
  query: BeaDraftQuery,
  output: pageOf(BeaDraftSummary),
  example: { answer: { data: [summary], pagination: onePage } },
  handle: ({ drafts }, { actor, query }) => drafts.list(actor, query),
})

export const getBeaDraft = endpoint({
  ...oneDraft,
  method: 'GET',
  path: `${base}/{draft_id}`,
  access: 'bea:write',
  summary: 'Get a beA draft',
  errors: { 403: ['BEA_RIGHT_MISSING'], 404: ['DRAFT_NOT_FOUND'] },
  example: { params: { draft_id: example.id }, answer: example },
  handle: ({ drafts }, { actor, params }) => drafts.get(actor, params.draft_id),
})

export const saveBeaDraft = endpoint({
  ...oneDraft,
  method: 'PUT',
  path: `${base}/{draft_id}`,
  access: 'bea:write',
  summary: 'Save a beA draft',
  description:
    'Changes only the fields in the body; `null` clears. A draft whose send failed becomes `draft` again. Documents also need the scope `documents:read`.',
  body: BeaDraftChanges,
  errors: {
    403: ['BEA_RIGHT_MISSING'],
    404: ['DRAFT_NOT_FOUND', ...references],
    409: ['DRAFT_ALREADY_SENT'],
  },
  example: {
    params: { draft_id: example.id },
    body: { subject: 'Meier ./. Schulze, Klageerwiderung und Antrag' },
    answer: {
      ...example,
      subject: 'Meier ./. Schulze, Klageerwiderung und Antrag',
      updated_at: '2026-03-16T08:51:00.000Z',
    },
  },
  handle: ({ drafts }, { actor, params, body, precondition }) =>
    drafts.save(actor, params.draft_id, body, precondition),
})

export const deleteBeaDraft = endpoint({
  method: 'DELETE',
  path: `${base}/{draft_id}`,
  access: 'bea:write',
  summary: 'Delete a beA draft',
  params: { draft_id },
  output: z.void(),
  etag: BeaDraft,
  errors: {
    403: ['BEA_RIGHT_MISSING'],
    404: ['DRAFT_NOT_FOUND'],
    409: ['DRAFT_ALREADY_SENT'],
  },
  example: { params: { draft_id: example.id } },
  handle: ({ drafts }, { actor, params, precondition }) =>
    drafts.remove(actor, params.draft_id, precondition),
})

export const sendBeaDraft = endpoint({
  ...oneDraft,
  method: 'POST',
  path: `${base}/{draft_id}/send`,
  access: 'bea:write',
  summary: 'Send a beA draft',
  description:
    'Needs right 05, a session and, for documents, the scope `documents:read`. Checks everything first: 422 names all faults. Then the draft is `sending`, with its current content and files, and is sent once in the background. Read the draft to learn the outcome: `sent`, `failed` (it may be changed and sent again), or `unknown`: the answer of the network was lost. Then the service searches for the message in the postbox, and never sends it again on its own. It becomes `failed` only if every message in the postbox is certainly another one. `similar_messages` are the messages that may be this one. Send the ETag of the draft you looked at as `If-Match`, so that you do not send a change you have not seen. A court accepts a document without a qualified signature only if the lawyer who signs it also sends it, from their own postbox (§ 130a Abs. 3, 4 ZPO). The service does not check this.',
  body: BeaSendInput,
  status: 202,
  errors: {
    401: ['BEA_NOT_AUTHENTICATED'],
    403: ['BEA_RIGHT_MISSING'],
    404: ['DRAFT_NOT_FOUND', 'BEA_ACCOUNT_NOT_FOUND'],
    409: ['DRAFT_ALREADY_SENT'],
    422: ['BEA_PREFLIGHT_FAILED'],
  },
  example: {
    params: { draft_id: example.id },
    body: { rename: true },
    answer: { ...example, status: 'sending', updated_at: '2026-03-16T08:55:00.000Z' },
  },
  handle: ({ drafts }, { actor, params, body, precondition }) =>
    drafts.send(actor, params.draft_id, body, precondition),
})

export const resolveBeaDraft = endpoint({
  ...oneDraft,
  method: 'POST',
  path: `${base}/{draft_id}/resolve`,
  access: 'bea:write',
  summary: 'Set the outcome of a beA draft whose outcome is unknown',
  description:
    'For a person who has looked into the postbox: `sent`, or `not_sent`, after which it may be sent again. Needs right 05. The timeline of the case records the user who decided. Send the ETag of the draft you looked at as `If-Match`, so that you do not decide about a later send.',
  body: BeaResolveInput,
  errors: { 403: ['BEA_RIGHT_MISSING'], 404: ['DRAFT_NOT_FOUND'], 409: ['DRAFT_NOT_UNKNOWN'] },
  example: {
    params: { draft_id: example.id },
    body: { outcome: 'sent' },
    answer: { ...example, status: 'sent', updated_at: '2026-03-16T09:20:00.000Z' },
  },
  handle: ({ drafts }, { actor, params, body, precondition }) =>
    drafts.resolve(actor, params.draft_id, body, precondition),
})

const messageId = 'bea_msg_01993f6b-5d20-7c31-8e4f-9a0b1c2d3e4f'

export const answerBeaEeb = endpoint({
  method: 'POST',
  path: '/api/v1/bea/messages/{message_id}/eeb',
  access: 'bea:write',
  summary: 'Give or refuse an electronic receipt (eEB)',
  description:
    'A declaration with legal effect: deadlines start on the day that it states. So it must name the deadline that was entered in the case of the message, or say why there is none. If that deadline is counted from another day, `warnings` says so. It is sent once, in the background; the message shows the outcome. A receipt that was given in the beA web client is not recognised. Needs the rights 13 and 14, the right to read the message (06; 11 if it is confidential), and a session.',
  params: { message_id },
  body: BeaEebInput,
  status: 202,
  output: BeaEebAnswer,
  errors: {
    401: ['BEA_NOT_AUTHENTICATED'],
    403: ['BEA_RIGHT_MISSING'],
    404: ['BEA_MESSAGE_NOT_FOUND', 'DEADLINE_NOT_FOUND', 'CASE_NOT_FOUND'],
    409: ['EEB_NOT_REQUESTED', 'EEB_ANSWERED', 'EEB_DEADLINE_REQUIRED'],
    422: ['BEA_PREFLIGHT_FAILED'],
  },
  example: {
    params: { message_id: messageId },
    body: {
      action: 'confirm',
      date: '2026-03-16',
      deadline_id: 'evt_01993f64-8a1b-7c2d-9e3f-4a5b6c7d8e9f',
    },
    answer: { status: 'sending', date: '2026-03-16', warnings: [] },
  },
  handle: ({ eebs }, { actor, params, body }) => eebs.answer(actor, params.message_id, body),
})

export const resolveBeaEeb = endpoint({
  method: 'POST',
  path: '/api/v1/bea/messages/{message_id}/eeb/resolve',
  access: 'bea:write',
  summary: 'Set the outcome of an electronic receipt whose outcome is unknown',
  description:
    'As for a draft. After `not_sent` the receipt may be given again. Needs the rights 13 and 14, and the right to read the message.',
  params: { message_id },
  body: BeaResolveInput,
  output: BeaEeb,
  errors: {
    403: ['BEA_RIGHT_MISSING'],
    404: ['BEA_MESSAGE_NOT_FOUND'],
    409: ['EEB_NOT_REQUESTED', 'DRAFT_NOT_UNKNOWN'],
  },
  example: {
    params: { message_id: messageId },
    body: { outcome: 'sent' },
    answer: { status: 'confirmed', date: '2026-03-16' },
  },
  handle: ({ eebs }, { actor, params, body }) => eebs.resolve(actor, params.message_id, body),
})
