import * as z from 'zod'
import type { DocumentService } from '#documents/documents.ts'
import {
  AnnouncedUpload,
  Assignment,
  BulkAssignment,
  Document,
  DocumentChanges,
  DocumentFields,
  DocumentParty,
  DocumentQuery,
  UploadInput,
} from '#documents/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { listOf, onePage, pagesOf } from '#kernel/page.ts'
import { pageOrChangesOf } from '#kernel/updated-since.ts'

const endpoint = endpointsOf<{ documents: DocumentService }>()

const id = idOf('document')
const oneDocument = { params: { id }, output: Document, etag: Document }
const party = { id: 'pty_01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52', name: 'Anna Meier', is_primary: true }
const example = {
  id: 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31',
  filename: 'Klageschrift Müller.pdf',
  mime_type: 'application/pdf',
  size_bytes: 184_320,
  status: 'processed' as const,
  status_reason: null,
  case_id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  folder_id: null,
  parties: [party],
  extracted_text_length: 18_342,
  page_count: 7,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  duplicate_of: [],
  metadata: null,
  source: 'upload' as const,
  created_at: '2026-03-16T08:40:00.000Z',
  updated_at: '2026-03-16T08:40:02.000Z',
}
const pending = {
  ...example,
  status: 'pending' as const,
  extracted_text_length: null,
  page_count: null,
  updated_at: example.created_at,
}
const references = ['CASE_NOT_FOUND', 'FOLDER_NOT_FOUND', 'PARTY_NOT_FOUND'] as const

export const listDocuments = endpoint({
  method: 'GET',
  path: '/api/v1/documents',
  access: 'documents:read',
  summary: 'List and search documents, newest first',
  query: DocumentQuery,
  output: pageOrChangesOf(Document),
  example: {
    query: { search: 'klage', status: 'processed' },
    answer: { data: [example], pagination: onePage },
  },
  handle: ({ documents }, { actor, query }) => documents.list(actor, query),
})

export const uploadDocument = endpoint({
  method: 'POST',
  path: '/api/v1/documents',
  access: 'documents:write',
  summary: 'Store a document',
  description:
    'The answer 201 means that the document is stored durably; its text is extracted afterwards. The content decides the type: PDF, DOCX, DOC, PNG, JPG, TIFF or plain text. A request has at most 4.4 MiB; announce an upload for larger files.',
  encoding: 'form',
  body: DocumentFields,
  files: { file: { max: 1 } },
  status: 201,
  output: Document,
  errors: { 404: [...references] },
  example: { body: { case_id: example.case_id, party_ids: [party.id] }, answer: pending },
  handle: ({ documents }, { actor, body, files }) => documents.upload(actor, files.file, body),
})

export const announceUpload = endpoint({
  method: 'POST',
  path: '/api/v1/documents/uploads',
  access: 'documents:write',
  summary: 'Announce a large document',
  description:
    'For files of up to 200 MiB. Send the bytes to `upload.url` with the given method and headers within one hour, then complete the upload. An upload that is not completed within 24 hours is removed.',
  body: UploadInput,
  status: 201,
  output: AnnouncedUpload,
  errors: { 404: [...references] },
  example: {
    body: { filename: example.filename, mime_type: example.mime_type, size_bytes: 52_428_800 },
    answer: {
      document: {
        ...pending,
        size_bytes: 52_428_800,
        sha256: null,
        case_id: null,
        parties: [],
      },
      upload: {
        method: 'PUT',
        url: 'https://aktenlage-files.s3.eu-central-1.amazonaws.com/uploads/…?X-Amz-Signature=…',
        headers: { 'Content-Type': example.mime_type },
        expires_at: '2026-03-16T09:40:00.000Z',
      },
    },
  },
  handle: ({ documents }, { actor, body }) => documents.announce(actor, body),
})

export const completeUpload = endpoint({
  method: 'POST',
  path: '/api/v1/documents/{id}/complete',
  access: 'documents:write',
  summary: 'Complete an announced upload',
  description:
    'Compares size, type and, if given, SHA-256 of the bytes with the announcement. A second call returns the document unchanged.',
  params: { id },
  output: Document,
  errors: { 404: ['DOCUMENT_NOT_FOUND'], 409: ['UPLOAD_INCOMPLETE'], 422: ['UPLOAD_MISMATCH'] },
  example: { params: { id: example.id }, answer: pending },
  handle: ({ documents }, { actor, params }) => documents.complete(actor, params.id),
})

export const getDocument = endpoint({
  ...oneDocument,
  method: 'GET',
  path: '/api/v1/documents/{id}',
  access: 'documents:read',
  summary: 'Get the metadata of a document',
  errors: { 404: ['DOCUMENT_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: example },
  handle: ({ documents }, { actor, params }) => documents.get(actor, params.id),
})

export const updateDocument = endpoint({
  ...oneDocument,
  method: 'PATCH',
  path: '/api/v1/documents/{id}',
  access: 'documents:write',
  summary: 'Rename a document or change its metadata',
  description: 'Changes only the fields in the body. `metadata` is replaced as a whole; `null` removes it.',
  body: DocumentChanges,
  errors: { 404: ['DOCUMENT_NOT_FOUND'] },
  example: {
    params: { id: example.id },
    body: { filename: 'Klageschrift Müller, Endfassung.pdf' },
    answer: { ...example, filename: 'Klageschrift Müller, Endfassung.pdf' },
  },
  handle: ({ documents }, { actor, params, body, precondition }) =>
    documents.update(actor, params.id, body, precondition),
})

export const downloadDocument = endpoint({
  method: 'GET',
  path: '/api/v1/documents/{id}/download',
  access: 'documents:read',
  summary: 'Download a document',
  params: { id },
  produces: 'file',
  errors: { 404: ['DOCUMENT_NOT_FOUND'], 409: ['UPLOAD_INCOMPLETE'] },
  example: { params: { id: example.id } },
  handle: ({ documents }, { actor, params }) => documents.download(actor, params.id),
})

export const deleteDocument = endpoint({
  method: 'DELETE',
  path: '/api/v1/documents/{id}',
  access: 'documents:delete',
  summary: 'Delete a document',
  description:
    'Removes the document from lists and search, and deletes its bytes. Its record is kept for the audit. Refused while a sent envelope that has not ended needs the document.',
  params: { id },
  output: z.void(),
  etag: Document,
  errors: { 404: ['DOCUMENT_NOT_FOUND'], 409: ['DOCUMENT_IN_USE', 'LEGAL_HOLD'] },
  example: { params: { id: example.id } },
  handle: ({ documents }, { actor, params, precondition }) =>
    documents.remove(actor, params.id, precondition),
})

export const assignDocument = endpoint({
  ...oneDocument,
  method: 'POST',
  path: '/api/v1/documents/{id}/assign',
  access: 'documents:write',
  summary: 'Assign a document to a case, a folder and parties',
  description:
    'Changes only the fields in the body; `null` clears a field. A document cannot leave a case that is on hold.',
  // The request may have no body.
  body: Assignment.prefault({}),
  errors: { 404: ['DOCUMENT_NOT_FOUND', ...references], 409: ['LEGAL_HOLD'] },
  example: {
    params: { id: example.id },
    body: { case_id: example.case_id, party_ids: [party.id] },
    answer: example,
  },
  handle: ({ documents }, { actor, params, body, precondition }) =>
    documents.assign(actor, params.id, body, precondition),
})

export const readDocumentAgain = endpoint({
  ...oneDocument,
  method: 'POST',
  path: '/api/v1/documents/{id}/read-again',
  access: 'documents:write',
  summary: 'Read a document again',
  description:
    'For a document that failed, or from which an earlier release read only a part of the text. It is `pending` until it is read. If the new reading fails, a document with an earlier text is `processed` with that text, and `status_reason` says why. A pending document does not change.',
  errors: { 404: ['DOCUMENT_NOT_FOUND'], 409: ['UPLOAD_INCOMPLETE'] },
  example: { params: { id: example.id }, answer: pending },
  handle: ({ documents }, { actor, params, precondition }) =>
    documents.readAgain(actor, params.id, precondition),
})

export const listDocumentParties = endpoint({
  method: 'GET',
  path: '/api/v1/documents/{id}/parties',
  access: 'documents:read',
  summary: 'List the parties of a document',
  params: { id },
  ...pagesOf(DocumentParty),
  errors: { 404: ['DOCUMENT_NOT_FOUND'] },
  example: { params: { id: example.id }, answer: { data: [party], pagination: onePage } },
  handle: ({ documents }, { actor, params, query }) => documents.listParties(actor, params.id, query),
})

export const bulkAssignDocuments = endpoint({
  method: 'POST',
  path: '/api/v1/documents/bulk-assign',
  access: 'documents:write',
  summary: 'Assign several documents, all or none',
  body: BulkAssignment,
  output: listOf(Document),
  errors: { 404: ['DOCUMENT_NOT_FOUND', ...references], 409: ['LEGAL_HOLD'] },
  example: {
    body: { document_ids: [example.id], case_id: example.case_id },
    answer: { data: [example] },
  },
  handle: ({ documents }, { actor, body }) => documents.assignAll(actor, body),
})
