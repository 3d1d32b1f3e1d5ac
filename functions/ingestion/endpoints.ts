import type { DocumentService } from '#documents/documents.ts'
import {
  AnnouncedUpload,
  Document,
  InboxFields,
  InboxUpload,
  Ingested,
  IngestionFields,
  PushedUploadInput,
} from '#documents/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'

type Services = { documents: DocumentService }

const endpoint = endpointsOf<Services>()

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
    'For other systems. Without `folder_id` the document goes to the inbox. The content decides the type: PDF, DOCX, DOC, PNG, JPG or TIFF. A request has at most 4.4 MiB; announce an upload for larger files.',
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

const pushedUpload = {
  in: 'header' as const,
  name: 'X-Service-Token',
  description: 'the webhook token of the workspace (`GET /api/v1/workspace/webhooks`).',
  verify: ({ documents }: Services, token: string | undefined) => documents.admitTokenHolder(token),
}

const pending: Document = {
  id: `doc_${documentId}`,
  filename: 'Akte.pdf',
  mime_type: 'application/pdf',
  size_bytes: 52_428_800,
  status: 'pending',
  status_reason: null,
  case_id: null,
  folder_id: null,
  parties: [],
  extracted_text_length: null,
  page_count: null,
  sha256: null,
  duplicate_of: [],
  metadata: { sender: 'Amtsgericht München' },
  source: 'webhook',
  created_at: '2026-03-16T08:40:00.000Z',
  updated_at: '2026-03-16T08:40:00.000Z',
}

export const announcePushedUpload = endpoint({
  method: 'POST',
  path: '/api/v1/webhooks/inbox/uploads',
  access: pushedUpload,
  summary: 'Announce a large document with the webhook token',
  description:
    'For other systems, and files of up to 200 MiB. Send the bytes to `upload.url` with the given method and headers within one hour, then complete the upload. An upload that is not completed within 24 hours is removed. If a token is older than this interface, get it once from `GET /api/v1/workspace/webhooks` to make it work here.',
  body: PushedUploadInput,
  status: 201,
  output: AnnouncedUpload,
  errors: { 401: ['WEBHOOK_TOKEN_INVALID'], 404: ['FOLDER_NOT_FOUND'] },
  example: {
    body: {
      filename: pending.filename,
      mime_type: pending.mime_type,
      size_bytes: pending.size_bytes,
      metadata: { sender: 'Amtsgericht München' },
    },
    answer: {
      document: pending,
      upload: {
        method: 'PUT',
        url: 'https://aktenlage-files.s3.eu-central-1.amazonaws.com/uploads/…?X-Amz-Signature=…',
        headers: { 'Content-Type': pending.mime_type },
        expires_at: '2026-03-16T09:40:00.000Z',
      },
    },
  },
  handle: ({ documents }, { actor, body }) => documents.announcePushed(actor, body),
})

export const completePushedUpload = endpoint({
  method: 'POST',
  path: '/api/v1/webhooks/inbox/uploads/{document_id}/complete',
  access: pushedUpload,
  summary: 'Complete an upload that was announced with the webhook token',
  description:
    'Compares size, type and, if given, SHA-256 of the bytes with the announcement. A document without a folder enters the inbox. A second call changes nothing. The answer does not show the case and the parties of the document.',
  params: { document_id: idOf('document') },
  output: Document,
  errors: {
    401: ['WEBHOOK_TOKEN_INVALID'],
    404: ['DOCUMENT_NOT_FOUND'],
    409: ['UPLOAD_INCOMPLETE'],
    422: ['UPLOAD_MISMATCH'],
  },
  example: { params: { document_id: pending.id }, answer: { ...pending, sha256: 'c'.repeat(64) } },
  handle: ({ documents }, { actor, params }) => documents.completePushed(actor, params.document_id),
})
