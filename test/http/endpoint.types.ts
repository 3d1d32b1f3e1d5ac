import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'

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

const places = { method: 'POST', path: '/things', access: 'cases:write', summary: 'Send a thing' } as const

export const credentialGivesTheActor = endpointsOf<{
  find: (token: string | undefined) => Promise<{ id: string }>
}>()({
  ...common,
  path: '/things/{token}',
  params: { token: z.string() },
  access: { in: 'path', name: 'token', description: 'a token', verify: ({ find }, token) => find(token) },
  handle: async (_, { actor }) => {
    const holder: { id: string } = actor
    // @ts-expect-error the holder of the credential is no user
    actor.user_id
    return holder
  },
})

export const credentialOfSeveralFields = endpoint({
  ...places,
  encoding: 'urlencoded',
  access: {
    in: 'form',
    names: ['token', 'signature'],
    description: 'a signature',
    verify: async (_, { token, signature }) => ({ signed: `${token} ${signature}` }),
  },
  output: z.object({ id: z.string() }),
  handle: async (_, { actor }) => ({ id: actor.signed }),
})

export const headerWithoutAName = endpoint({
  ...common,
  path: '/things',
  // @ts-expect-error a header has a name
  access: { in: 'header', description: 'a token', verify: async () => undefined },
  handle: thing,
})

export const filesAsDeclared = endpoint({
  ...places,
  encoding: 'form',
  files: {
    file: { max: 1 },
    photo: { max: 1, optional: true },
    pages: { max: 20 },
    attachments: { max: 50, optional: true, named: 'attachment-N' },
  },
  output: z.object({ id: z.string() }),
  handle: async (_, { files }) => {
    const one: string = files.file.filename
    const oneOrNone: string | undefined = files.photo?.filename
    const many: string[] = [...files.pages, ...files.attachments].map(({ name }) => name)
    // @ts-expect-error it is optional
    files.photo.filename
    // @ts-expect-error it is not declared
    files.other
    return unchanged({ id: `${one}${oneOrNone}${many}` })
  },
})

export const filesInJson = endpoint(
  // @ts-expect-error files come in a multipart form
  { ...places, files: { file: { max: 1 } }, output: z.void(), handle: async () => undefined },
)

export const onlyWhatIsDeclaredIsKnownOfTheCaller = endpoint({
  ...common,
  path: '/things',
  access: 'public',
  caller: { ip: true, languages: ['de', 'en'] },
  handle: async (_, { caller }) => {
    const language: 'de' | 'en' = caller.language
    // @ts-expect-error it is not declared
    caller.userAgent
    return { id: `${caller.ip} ${language}` }
  },
})

export const nothingIsKnownOfTheCaller = endpoint({
  ...common,
  path: '/things',
  access: 'public',
  handle: async (_, { caller }) => {
    // @ts-expect-error nothing is declared
    caller.ip
    return { id: 'thing' }
  },
})

export const redirects = endpoint({
  ...places,
  produces: 'redirect',
  status: 303,
  storedAlone: 'It changes nothing.',
  handle: async () => ({ location: '/things' }),
})

export const answerStoredWithItsChange = endpoint({
  ...places,
  output: z.object({ id: z.string() }),
  handle: async () => unchanged({ id: 'thing' }),
})

export const answerThatIsNotStored = endpoint({
  ...places,
  output: z.object({ id: z.string() }),
  // @ts-expect-error no transaction has stored it
  handle: thing,
})

export const answerThatIsNotTheStoredOne = endpoint({
  ...places,
  output: z.object({ id: z.string(), name: z.string() }),
  // @ts-expect-error the stored answer has no name
  handle: async () => ({ ...unchanged({ id: 'thing' }), name: 'A thing' }),
})

export const answerStoredAlone = endpoint({
  ...places,
  storedAlone: 'It changes nothing.',
  output: z.object({ id: z.string() }),
  handle: thing,
})

export const redirectWithoutALocation = endpoint({
  ...places,
  produces: 'redirect',
  // @ts-expect-error a redirect has a location
  handle: async () => ({ id: 'thing' }),
})

export const jsonWithTheStatusOfARedirect = endpoint({
  ...common,
  path: '/things',
  access: 'public',
  // @ts-expect-error 303 is the status of a redirect
  status: 303,
  handle: thing,
})

export const accepted = endpoint({ ...common, path: '/things', access: 'public', status: 202, handle: thing })

export const inlineFile = endpoint({
  method: 'GET',
  path: '/things',
  access: 'public',
  summary: 'Look at a thing',
  produces: 'file',
  disposition: 'inline',
  errors: { 406: ['CASE_NOT_FOUND'], 410: ['CASE_NOT_FOUND'] },
  handle: async () => ({
    filename: 'a.pdf',
    mimeType: 'application/pdf',
    sizeBytes: 1,
    version: 'a',
    open: async () => (async function* () {})(),
  }),
})

export const fileWithoutItsSize = endpoint({
  method: 'GET',
  path: '/things',
  access: 'public',
  summary: 'Look at a thing',
  produces: 'file',
  // @ts-expect-error only a stream has no known length
  handle: async () => ({ filename: 'a', mimeType: 'a/b', open: async () => (async function* () {})() }),
})

export const streamOfDeclaredTypes = endpoint({
  method: 'GET',
  path: '/things',
  access: 'public',
  summary: 'Export the things',
  produces: 'stream',
  types: ['text/csv'],
  handle: async () => ({ filename: 'a', mimeType: 'text/csv', open: async () => (async function* () {})() }),
})

export const pageThatIsNoText = endpoint({
  method: 'GET',
  path: '/things',
  access: 'public',
  summary: 'Look at the things',
  produces: 'text/html',
  // @ts-expect-error a page is text
  output: z.object({ id: z.string() }),
  handle: thing,
})
