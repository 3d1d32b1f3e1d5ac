import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'

const endpoint = endpointsOf<{ a: { get(id: string): Promise<{ id: string; extra: number }> } }>()
export const ok = endpoint({
  method: 'GET',
  path: '/a/{id}',
  access: 'cases:read',
  summary: '',
  params: { id: idOf('case') },
  query: z.object({ limit: z.string().transform(Number) }),
  body: z.object({ x: z.number() }),
  output: z.object({ id: z.string() }),
  errors: { 404: ['CASE_NOT_FOUND'] },
  example: { params: { id: '' }, body: { x: 1 }, query: { limit: '' }, answer: { id: '' } },
  handle: ({ a }, { params, query, body, actor }) => {
    const n: number = query.limit + body.x
    void n
    void actor.user_id
    return a.get(params.id)
  },
})
export const ok2 = endpoint({
  method: 'GET',
  path: '/a',
  access: 'public',
  summary: '',
  output: z.object({ id: z.string() }),
  handle: async (_s, { actor }) => {
    const u: undefined = actor
    void u
    return { id: '' }
  },
})
// @ts-expect-error
export const bad1 = endpoint({
  method: 'GET',
  path: '/a/{id}',
  access: 'cases:read',
  summary: '',
  output: z.object({ id: z.string() }),
  handle: async () => ({ id: '' }),
})
// @ts-expect-error
export const bad2 = endpoint({
  method: 'GET',
  path: '/a',
  access: 'cases:fly',
  summary: '',
  output: z.object({ id: z.string() }),
  handle: async () => ({ id: '' }),
})
// @ts-expect-error
export const bad3 = endpoint({
  method: 'GET',
  path: '/a',
  access: 'cases:read',
  summary: '',
  output: z.object({ id: z.string() }),
  handle: async () => ({ id: 5 }),
})
// @ts-expect-error
export const bad4 = endpoint({
  method: 'GET',
  path: '/a/{id}',
  access: 'cases:read',
  params: { case: idOf('case') },
  summary: '',
  output: z.object({ id: z.string() }),
  handle: async () => ({ id: '' }),
})
// @ts-expect-error
export const bad5 = endpoint({
  method: 'GET',
  path: '/a',
  access: ['cases:read', 'nope'],
  summary: '',
  output: z.object({ id: z.string() }),
  errors: {},
  handle: async () => ({ id: '' }),
})
// @ts-expect-error
export const bad6 = endpoint({
  method: 'GET',
  path: '/a',
  access: 'cases:read',
  summary: '',
  output: z.object({ id: z.string() }),
  errors: { 404: ['NO'] },
  handle: async () => ({ id: '' }),
})
