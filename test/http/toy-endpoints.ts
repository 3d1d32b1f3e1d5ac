import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { pageOf, pageQuery } from '#kernel/page.ts'
import { nameText, Timestamp } from '#kernel/text.ts'

const endpoint = endpointsOf<unknown>()
const unused = () => Promise.reject(new Error('A toy is described, not called.'))
const caseId = '0193f0c2-7d1e-7a35-8c1f-2b6f0a9d4e11'

const ToySummary = z
  .object({ id: z.string(), name: z.string() })
  .meta({ id: 'ToySummary', description: 'A toy in a list.' })
const Toy = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: 'What it is called.' }),
    status: z.enum(['new', 'broken']),
    owner: ToySummary.nullable(),
    parts: z.array(z.object({ name: z.string(), count: z.int() })),
    created_at: Timestamp,
  })
  .meta({ id: 'Toy' })
const NewToy = z
  .object({
    name: nameText(),
    status: z.enum(['new', 'broken']).default('new'),
    note: z.string().nullable().optional(),
  })
  .meta({ id: 'NewToy' })

const toy: z.input<typeof Toy> = {
  id: caseId,
  name: 'Bagger',
  status: 'new',
  owner: null,
  parts: [{ name: 'Schaufel', count: 1 }],
  created_at: '2026-03-02T08:15:00.000Z',
}

export const listToys = endpoint({
  method: 'GET',
  path: '/api/v1/toys',
  access: 'cases:read',
  summary: 'List toys',
  query: z.object({ ...pageQuery, status: z.enum(['new', 'broken']).optional(), since: z.string() }),
  output: pageOf(ToySummary),
  example: {
    query: { limit: '10', since: '2026' },
    answer: { data: [{ id: caseId, name: 'Bagger' }], pagination: { cursor: null, has_more: false } },
  },
  handle: unused,
})

export const createToy = endpoint({
  method: 'POST',
  path: '/api/v1/toys',
  access: ['cases:write', 'workspace:admin'],
  summary: 'Make a toy',
  body: NewToy,
  status: 201,
  output: Toy,
  etag: Toy,
  errors: { 404: ['PARTY_NOT_FOUND', 'USER_NOT_FOUND'], 409: ['FILE_NUMBER_TAKEN'] },
  example: { body: { name: 'Bagger' }, answer: toy },
  handle: unused,
})

export const getToy = endpoint({
  method: 'GET',
  path: '/api/v1/toys/{id}',
  access: 'cases:read',
  summary: 'Get a toy',
  params: { id: idOf('case') },
  output: Toy,
  errors: { 404: ['CASE_NOT_FOUND'] },
  etag: Toy,
  example: { params: { id: caseId }, answer: toy },
  handle: unused,
})

export const updateToy = endpoint({
  method: 'PUT',
  path: '/api/v1/toys/{id}',
  access: 'cases:write',
  summary: 'Change a toy',
  params: { id: idOf('case') },
  body: z.object({ name: nameText().optional() }).optional(),
  output: Toy,
  errors: { 404: ['CASE_NOT_FOUND'] },
  etag: Toy,
  example: { params: { id: caseId }, body: { name: 'Kran' }, answer: { ...toy, name: 'Kran' } },
  handle: unused,
})

export const deleteToy = endpoint({
  method: 'DELETE',
  path: '/api/v1/toys/{id}',
  access: 'cases:delete',
  summary: 'Throw a toy away',
  params: { id: idOf('case') },
  output: z.void(),
  etag: Toy,
  errors: { 404: ['CASE_NOT_FOUND'] },
  example: { params: { id: caseId } },
  handle: unused,
})

export const whoAmI = endpoint({
  method: 'GET',
  path: '/api/v1/toy-box/owner',
  access: 'any key',
  summary: 'Tell whose key this is',
  output: ToySummary,
  example: { answer: { id: caseId, name: 'Anna' } },
  handle: unused,
})

export const getToyPage = endpoint({
  method: 'GET',
  path: '/toys',
  access: 'public',
  summary: 'Look at the toys',
  output: z.string(),
  produces: 'text/html',
  handle: unused,
})
