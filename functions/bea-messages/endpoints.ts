import {
  BeaAssignment,
  BeaAttachment,
  BeaMessage,
  BeaMessageQuery,
  BeaRunningSync,
} from '#bea/messages/message-schema.ts'
import type { BeaMessages } from '#bea/messages/messages.ts'
import type { SyncStarting } from '#bea/sync/starting-sync.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf, pagesOf } from '#kernel/page.ts'

const endpoint = endpointsOf<{ beaMessages: BeaMessages }>()
const syncEndpoint = endpointsOf<{ beaMessages: BeaMessages; beaSyncs: SyncStarting }>()

const accountId = 'bea_acc_01993f5e-9a22-7b1c-8d43-0e2f4a6c8b10'
const caseId = '01993f6a-1d20-7c44-9b31-5e8f0a2c7d16'
const attachment = {
  id: 'bea_att_01993f66-2d18-7b33-9d47-3c8e1f5a7b20',
  filename: 'Ladung.pdf',
  type: 'SCHRIFTSATZ',
  mime_type: 'application/pdf',
  size_bytes: 184_320,
  document_id: null,
}
const message = {
  id: 'bea_msg_01993f66-2d18-7c40-b3a9-8e5f1c7d2a64',
  account_id: accountId,
  folder: 'INBOX',
  direction: 'inbound' as const,
  subject: 'Ladung zum Termin',
  body: 'Anbei erhalten Sie die Ladung zum Termin.',
  sender: {
    name: 'Landgericht München I',
    bea_id: 'DE.Justiz.7b4d9e21-3c58-4f06-9a17-5d2e8c1b0f43.a1b2',
  },
  recipients: [{ name: 'Dr. Jana Vogt', bea_id: 'DE.BRAK.2f0c5a1d-8e10-4b64-9d2e-7c1a5e3f9901.c3d4' }],
  received_at: '2026-03-16T08:30:00.000Z',
  sent_at: '2026-03-16T08:29:00.000Z',
  reference_sender: '3 O 45/26',
  reference_recipient: '0012/26',
  confidential: false,
  eeb_requested: true,
  eeb: { status: 'requested' as const, date: null },
  attachments: [attachment],
  size_bytes: 184_320,
  receipt: null,
  case_id: null,
  party_id: null,
  filing: false,
  purge_at: '2026-07-14T08:30:00.000Z',
  imported_at: '2026-03-16T08:45:00.000Z',
}
const messageId = { message_id: idOf('beaMessage') }

export const syncBeaAccount = syncEndpoint({
  method: 'POST',
  path: '/api/v1/bea/accounts/{account_id}/sync',
  access: 'bea:write',
  actsOutside: true,
  storedAlone: 'A running synchronisation is returned.',
  summary: 'Synchronise an account with the beA network',
  description:
    'The work is done in the background; `last_sync` of the account shows the result. If a synchronisation is already running, the answer shows it. Needs a session. Accounts whose certificate is stored are also synchronised every 15 minutes.',
  params: { account_id: idOf('beaAccount') },
  status: 202,
  output: BeaRunningSync,
  errors: { 401: ['BEA_NOT_AUTHENTICATED'], 403: ['BEA_RIGHT_MISSING'], 404: ['BEA_ACCOUNT_NOT_FOUND'] },
  example: {
    params: { account_id: accountId },
    answer: { account_id: accountId, status: 'running', started_at: '2026-03-16T08:44:58.000Z' },
  },
  handle: ({ beaSyncs }, { actor, params }) => beaSyncs.start(actor, params.account_id),
})

export const listBeaMessages = endpoint({
  method: 'GET',
  path: '/api/v1/bea/messages',
  access: 'bea:read',
  summary: 'List and search beA messages, newest first',
  description:
    'Lists the messages of accounts at which you have the right 01. Reading needs the right 06, for a confidential message 11. Without it a message shows only sender, date and size, and is not found by `search`, case or `unassigned`.',
  query: BeaMessageQuery,
  output: pageOf(BeaMessage),
  example: {
    query: { folder: 'INBOX', search: 'ladung' },
    answer: { data: [{ ...message, body: null }], pagination: onePage },
  },
  handle: ({ beaMessages }, { actor, query }) => beaMessages.list(actor, query),
})

export const getBeaMessage = endpoint({
  method: 'GET',
  path: '/api/v1/bea/messages/{message_id}',
  access: 'bea:read',
  summary: 'Get a beA message',
  params: messageId,
  output: BeaMessage,
  errors: { 403: ['BEA_RIGHT_MISSING'], 404: ['BEA_MESSAGE_NOT_FOUND'] },
  example: { params: { message_id: message.id }, answer: message },
  handle: ({ beaMessages }, { actor, params }) => beaMessages.get(actor, params.message_id),
})

export const assignBeaMessage = endpoint({
  method: 'POST',
  path: '/api/v1/bea/messages/{message_id}/assign',
  access: 'bea:write',
  summary: 'File a beA message in a case or with a party',
  description:
    'Changes only the fields in the body; `null` clears. The attachments become documents of the case, once. If the message is moved to another case later, they follow, unless somebody has moved them elsewhere. Needs the right 08, for a confidential message 11 too. The attachments of a confidential message do not become documents, since everybody in the office can read documents.',
  params: messageId,
  body: BeaAssignment,
  output: BeaMessage,
  errors: {
    403: ['BEA_RIGHT_MISSING'],
    404: ['BEA_MESSAGE_NOT_FOUND', 'CASE_NOT_FOUND', 'PARTY_NOT_FOUND'],
  },
  example: {
    params: { message_id: message.id },
    body: { case_id: caseId },
    answer: {
      ...message,
      case_id: caseId,
      attachments: [{ ...attachment, document_id: 'doc_01993f67-5a10-7b33-9d47-3c8e1f5a7b20' }],
    },
  },
  handle: ({ beaMessages }, { actor, params, body }) => beaMessages.assign(actor, params.message_id, body),
})

export const listBeaAttachments = endpoint({
  method: 'GET',
  path: '/api/v1/bea/messages/{message_id}/attachments',
  access: 'bea:read',
  summary: 'List the attachments of a beA message',
  params: messageId,
  ...pagesOf(BeaAttachment),
  errors: { 403: ['BEA_RIGHT_MISSING'], 404: ['BEA_MESSAGE_NOT_FOUND'] },
  example: { params: { message_id: message.id }, answer: { data: [attachment], pagination: onePage } },
  handle: ({ beaMessages }, { actor, params, query }) =>
    beaMessages.attachments(actor, params.message_id, query),
})

export const downloadBeaAttachment = endpoint({
  method: 'GET',
  path: '/api/v1/bea/messages/{message_id}/attachments/{id}/download',
  access: 'bea:read',
  summary: 'Download an attachment of a beA message',
  params: { ...messageId, id: idOf('beaAttachment') },
  produces: 'file',
  errors: { 403: ['BEA_RIGHT_MISSING'], 404: ['BEA_MESSAGE_NOT_FOUND', 'ATTACHMENT_NOT_FOUND'] },
  example: { params: { message_id: message.id, id: attachment.id } },
  handle: ({ beaMessages }, { actor, params }) => beaMessages.download(actor, params.message_id, params.id),
})
