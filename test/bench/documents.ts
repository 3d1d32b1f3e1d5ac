import { rareSurname } from './case-names.ts'
import type { Measured } from './cost.ts'
import type { Request } from './requests.ts'
import type { Firm } from './seed.ts'

const documents = '/api/v1/documents'

/** The cost of documents, for `measureCost`. */
export const ofDocuments: Measured = {
  things: 'documents',
  first: (firm) => listing(firm),
  operations: [
    { name: 'list', request: (firm) => listing(firm), isHeldToTarget: true },
    {
      name: 'list of a case',
      request: (firm) => listing(firm, { case_id: firm.oldestCaseId }),
      isHeldToTarget: true,
    },
    {
      name: 'list of a folder',
      request: (firm) => listing(firm, { folder_id: firm.folderId }),
      isHeldToTarget: true,
    },
    {
      name: 'list by status',
      request: (firm) => listing(firm, { status: 'failed' }),
      isHeldToTarget: true,
    },
    {
      name: 'list of a case by status',
      request: (firm) => listing(firm, { case_id: firm.oldestCaseId, status: 'failed' }),
      isHeldToTarget: true,
    },
    {
      name: 'list of a case by folder and status',
      request: (firm) =>
        listing(firm, { case_id: firm.oldestCaseId, folder_id: firm.folderId, status: 'failed' }),
      isHeldToTarget: true,
    },
    {
      name: 'search, a full page',
      request: (firm) => listing(firm, { search: 'chmi' }),
      isHeldToTarget: true,
    },
    {
      name: 'search, three hits',
      request: (firm) => listing(firm, { search: rareSurname }),
      isHeldToTarget: true,
    },
    {
      name: 'search within a case',
      request: (firm) => listing(firm, { case_id: firm.oldestCaseId, search: 'schriftsatz' }),
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

function listing({ key }: Firm, query: Record<string, string> = {}): Request {
  return { method: 'GET', resource: documents, query, key }
}
