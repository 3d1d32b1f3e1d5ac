import { rareSurname } from './case-names.ts'
import type { Measured } from './cost.ts'
import type { Request } from './requests.ts'
import type { Office } from './seed.ts'

const documents = '/api/v1/documents'

/** What documents cost, for `measureCost`. */
export const ofDocuments: Measured = {
  things: 'documents',
  first: (office) => listing(office),
  operations: [
    { name: 'list', request: (office) => listing(office), isHeldToTarget: true },
    {
      name: 'list of a case',
      request: (office) => listing(office, { case_id: office.oldestCaseId }),
      isHeldToTarget: true,
    },
    {
      name: 'list of a folder',
      request: (office) => listing(office, { folder_id: office.folderId }),
      isHeldToTarget: true,
    },
    {
      name: 'list by status',
      request: (office) => listing(office, { status: 'failed' }),
      isHeldToTarget: true,
    },
    {
      name: 'list of a case by status',
      request: (office) => listing(office, { case_id: office.oldestCaseId, status: 'failed' }),
      isHeldToTarget: true,
    },
    {
      name: 'list of a case by folder and status',
      request: (office) =>
        listing(office, { case_id: office.oldestCaseId, folder_id: office.folderId, status: 'failed' }),
      isHeldToTarget: true,
    },
    {
      name: 'search, a full page',
      request: (office) => listing(office, { search: 'chmi' }),
      isHeldToTarget: true,
    },
    {
      name: 'search, three hits',
      request: (office) => listing(office, { search: rareSurname }),
      isHeldToTarget: true,
    },
    {
      name: 'search within a case',
      request: (office) => listing(office, { case_id: office.oldestCaseId, search: 'schriftsatz' }),
      isHeldToTarget: true,
    },
    {
      name: 'get',
      request: ({ key, documentId }) => ({
        method: 'GET',
        resource: `${documents}/{id}`,
        params: { id: documentId },
        key,
      }),
      isHeldToTarget: true,
    },
    {
      name: 'assign',
      request: ({ key, documentId, folderId }) => ({
        method: 'POST',
        resource: `${documents}/{id}/assign`,
        params: { id: documentId },
        body: { case_id: null, folder_id: folderId },
        key,
      }),
      isHeldToTarget: true,
    },
    {
      name: 'upload',
      request: ({ key, workspaceId }) => ({
        method: 'POST',
        resource: documents,
        file: { name: 'Vollmacht.txt', bytes: Buffer.from(`Vollmacht für ${workspaceId}`) },
        key,
      }),
      isHeldToTarget: true,
    },
    {
      name: 'announce an upload',
      request: ({ key }) => ({
        method: 'POST',
        resource: `${documents}/uploads`,
        body: { filename: 'Gutachten.pdf', mime_type: 'application/pdf', size_bytes: 50_000_000 },
        key,
      }),
      isHeldToTarget: true,
    },
  ],
}

function listing({ key }: Office, query: Record<string, string> = {}): Request {
  return { method: 'GET', resource: documents, query, key }
}
