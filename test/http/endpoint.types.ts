import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'

/** Promises of the declaration that the compiler keeps: `tsc` fails if one of these is accepted, or refused. */
const endpoint = endpointsOf<{ things: { get: (id: string) => Promise<{ id: string; secret: string }> } }>()

const common = { method: 'GET', summary: 'Get a thing', output: z.object({ id: z.string() }) } as const
const thing = async () => ({ id: 'thing' })

export const everythingTyped = endpoint({
  ...common,
  path: '/things/{id}',
  access: 'cases:read',
  params: { id: idOf('case') },
  query: z.object({ limit: z.string().transform(Number) }),
  body: z.object({ factor: z.number() }),
  errors: { 404: ['CASE_NOT_FOUND'] },
  example: { params: { id: 'a' }, query: { limit: '1' }, body: { factor: 1 }, answer: { id: 'a' } },
  handle: ({ things }, { actor, params, query, body }) => {
    const product: number = query.limit * body.factor
    return things.get(`${actor.user_id} ${params.id} ${product}`)
  },
})

export const nobodyActsInPublic = endpoint({
  ...common,
  path: '/things',
  access: 'public',
  handle: async (_, { actor }) => {
    const nobody: undefined = actor
    return { id: String(nobody) }
  },
})

export const placeholderWithoutSchema = endpoint(
  // @ts-expect-error {id} has no schema
  { ...common, path: '/things/{id}', access: 'cases:read', handle: thing },
)

export const placeholderWithSchemaOfAnother = endpoint({
  ...common,
  path: '/things/{id}',
  access: 'cases:read',
  // @ts-expect-error {id} has no schema
  params: { case: idOf('case') },
  handle: thing,
})

export const unknownScope = endpoint({
  ...common,
  path: '/things',
  // @ts-expect-error there is no such scope
  access: 'cases:fly',
  handle: thing,
})

export const unknownScopeAmongSeveral = endpoint({
  ...common,
  path: '/things',
  // @ts-expect-error there is no such scope
  access: ['cases:read', 'cases:fly'],
  handle: thing,
})

export const unknownCode = endpoint({
  ...common,
  path: '/things',
  access: 'cases:read',
  // @ts-expect-error there is no such code
  errors: { 404: ['THING_NOT_FOUND'] },
  handle: thing,
})

export const wrongShape = endpoint({
  ...common,
  path: '/things',
  access: 'cases:read',
  // @ts-expect-error the output is { id: string }
  handle: async () => ({ id: 5 }),
})

export const wrongExample = endpoint({
  ...common,
  path: '/things',
  access: 'cases:read',
  // @ts-expect-error the output is { id: string }
  example: { answer: { id: 5 } },
  handle: thing,
})
