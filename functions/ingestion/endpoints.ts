import { InboxFields, InboxUpload, Ingested, IngestionFields } from '#documents/schema.ts'
import type { DocumentService } from '#documents/service.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'

const endpoint = endpointsOf<{ documents: DocumentService }>()

const documentId = '01993f62-4b8e-7f20-8c15-6d9a2e4b7f31'

export const uploadToInbox = endpoint({
  method: 'POST',
  path: '/api/v1/inbox/upload',
  access: 'inbox:write',
  summary: 'Upload files into the inbox',
  description:
    'Stores up to 20 files, all or none: if one file is refused, the request is refused and the message names the file.',
  encoding: 'form',
  body: InboxFields,
  files: { files: { max: 20 } },
  status: 201,
  output: InboxUpload,
  example: {
    body: { source: 'scanner' },
    answer: {
      uploaded: [{ document_id: `doc_${documentId}`, filename: 'Scan 0001.pdf', status: 'processing' }],
    },
  },
  handle: ({ documents }, { actor, body, files }) => documents.uploadToInbox(actor, files.files, body),
})

export const pushDocument = endpoint({
  method: 'POST',
  path: '/webhooks/inbox/{tenant_id}',
  access: {
    in: 'header',
    name: 'X-Service-Token',
    description: 'the webhook token of the workspace (`GET /api/v1/workspace/webhooks`).',
    verify: ({ documents }, token, { params }) => documents.admitPusher(params.tenant_id ?? '', token),
  },
  summary: 'Push a document into a workspace',
  description:
    'For other systems. Without `folder_id` the document goes to the inbox. The content decides the type: PDF, DOCX, DOC, PNG, JPG or TIFF.',
  params: { tenant_id: idOf('workspace') },
  encoding: 'form',
  body: IngestionFields,
  files: { file: { max: 1 } },
  malformed: 422,
  output: Ingested,
  errors: { 401: ['WEBHOOK_TOKEN_INVALID'], 404: ['WORKSPACE_NOT_FOUND'] },
  example: {
    params: { tenant_id: 'ws_01993f5e-0a4c-7b1d-8e2f-3c5d7e9f1a2b' },
    body: { metadata: '{"sender":"Amtsgericht München"}' },
    answer: { status: 'ok', document_id: documentId, filename: 'Ladung.pdf' },
  },
  handle: ({ documents }, { actor, body, files }) => documents.ingest(actor, files.file, body),
})
