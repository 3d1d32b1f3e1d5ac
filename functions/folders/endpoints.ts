import * as z from 'zod'
import type { FolderService } from '#folders/folders.ts'
import { Folder, FolderChanges, FolderInput, FolderQuery } from '#folders/schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf } from '#kernel/page.ts'

const endpoint = endpointsOf<{ folders: FolderService }>()

const id = idOf('folder')
const example = {
  id: 'fld_01993f61-20c7-7b1e-9d42-5a8e6c3f7b10',
  name: 'Schriftsätze',
  parent_id: null,
  case_id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  created_at: '2026-03-16T08:35:00.000Z',
}

export const listFolders = endpoint({
  method: 'GET',
  path: '/api/v1/folders',
  access: 'documents:read',
  summary: 'List and search folders, newest first',
  query: FolderQuery,
  output: pageOf(Folder),
  example: {
    query: { case_id: example.case_id },
    answer: { data: [example], pagination: onePage },
  },
  handle: ({ folders }, { actor, query }) => folders.list(actor, query),
})

export const createFolder = endpoint({
  method: 'POST',
  path: '/api/v1/folders',
  access: 'documents:write',
  summary: 'Create a folder',
  body: FolderInput,
  status: 201,
  output: Folder,
  errors: { 404: ['CASE_NOT_FOUND', 'FOLDER_NOT_FOUND'] },
  example: { body: { name: example.name, case_id: example.case_id }, answer: example },
  handle: ({ folders }, { actor, body }) => folders.add(actor, body),
})

export const updateFolder = endpoint({
  method: 'PATCH',
  path: '/api/v1/folders/{id}',
  access: 'documents:write',
  summary: 'Rename or move a folder',
  description:
    'Changes only the fields in the body. `parent_id: null` moves the folder to the top level, `case_id: null` removes it from its case.',
  params: { id },
  body: FolderChanges,
  output: Folder,
  errors: { 404: ['CASE_NOT_FOUND', 'FOLDER_NOT_FOUND'] },
  example: {
    params: { id: example.id },
    body: { name: 'Schriftsätze der Gegenseite' },
    answer: { ...example, name: 'Schriftsätze der Gegenseite' },
  },
  handle: ({ folders }, { actor, params, body }) => folders.change(actor, params.id, body),
})

export const deleteFolder = endpoint({
  method: 'DELETE',
  path: '/api/v1/folders/{id}',
  access: 'documents:write',
  summary: 'Delete an empty folder',
  params: { id },
  output: z.void(),
  errors: { 404: ['FOLDER_NOT_FOUND'], 409: ['FOLDER_NOT_EMPTY'] },
  example: { params: { id: example.id } },
  handle: ({ folders }, { actor, params }) => folders.remove(actor, params.id),
})
