import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { ErrorPage } from '#http/declaration.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { noteChange } from '#kernel/changes.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { idOf } from '#kernel/id.ts'
import { nameText } from '#kernel/text.ts'

/** The services of a toy group: two shops, each with secrets of its own, and a list of everything received. */
export type ToyServices = {
  received: { shop: string; [field: string]: unknown }[]
  /** The shop of a secret. */
  shopOf: (secret: string | undefined) => string | undefined
}

export const shops = {
  one: 'Spielzeugladen Eins',
  other: 'Spielzeugladen Zwei',
  closed: 'Spielzeugladen Drei',
}
export const secrets = {
  one: 'a'.repeat(32),
  other: 'b'.repeat(32),
  expired: 'c'.repeat(32),
  closed: 'd'.repeat(32),
}
export const signingKey = 'toy-signing-key'
export const toyId = '0193f0c2-7d1e-7a35-8c1f-2b6f0a9d4e11'

export const toyServices = (): ToyServices => ({
  received: [],
  shopOf: (secret) =>
    (['one', 'other', 'closed'] as const).flatMap((name) =>
      secrets[name] === secret ? [shops[name]] : [],
    )[0],
})

const endpoint = endpointsOf<ToyServices>()

const refused = () => new Failure('unauthenticated', 'WEBHOOK_TOKEN_INVALID', 'Show a valid secret.')
const gone = () => new Failure('gone', 'ICAL_TOKEN_INVALID', 'This address is over.')

const admit = async ({ shopOf }: ToyServices, secret: string | undefined) => {
  if (secret === secrets.expired) throw gone()
  const shop = shopOf(secret)
  if (shop === undefined) throw refused()
  return { workspace_id: shop }
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Says what is wrong in the caller's language, and shows again what was entered. */
const errorPage: ErrorPage<ToyServices, { languages: readonly ['de', 'en'] }, { workspace_id: string }> = (
  _services,
  { status, details = [] },
  { actor, fields, caller },
) => {
  const title = caller.language === 'de' ? 'Das ging nicht' : 'That did not work'
  const entered = typeof fields.name === 'string' ? escaped(fields.name) : ''
  const places = details.map(({ path }) => escaped(path)).join(' ')
  return `<!doctype html><title>${title}</title><h1>${status}</h1><p>${places}</p><input value="${entered}"><i>${actor?.workspace_id ?? ''}</i>`
}

const pageHeaders = {
  'Content-Security-Policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  // Of the page; what refuses is never kept.
  'Cache-Control': 'private, max-age=60',
}

const page = {
  params: { token: z.string() },
  access: {
    in: 'path',
    name: 'token',
    description: 'the token of the address.',
    verify: async ({ shopOf }: ToyServices, token: string | undefined) => {
      if (token === secrets.expired) throw gone()
      const shop = shopOf(token)
      if (shop === undefined) throw notFound('CASE_NOT_FOUND')
      return { workspace_id: shop }
    },
  },
  caller: { languages: ['de', 'en'] },
  errors: { 404: ['CASE_NOT_FOUND'], 410: ['ICAL_TOKEN_INVALID'] },
  errorPage,
  headers: pageHeaders,
  example: { params: { token: secrets.one } },
} as const

export const startToySync = endpoint({
  method: 'POST',
  path: '/api/v1/toys/{id}/sync',
  access: 'public',
  summary: 'Start to look for new toys',
  params: { id: idOf('case') },
  status: 202,
  output: z.object({ status: z.literal('running') }),
  example: { params: { id: toyId }, answer: { status: 'running' } },
  handle: async () => ({ status: 'running' as const }),
})

const forEver = () => new Promise<never>(() => {})

export const findToyForEver = endpoint({
  method: 'GET',
  path: '/api/v1/toys/lost',
  access: 'public',
  summary: 'Look for a toy that is lost',
  output: z.object({}),
  handle: forEver,
})

export const changeToyForEver = endpoint({
  method: 'POST',
  path: '/api/v1/toys/lost',
  access: 'public',
  summary: 'Change a toy and wait for something else',
  output: z.object({}),
  handle: () => {
    noteChange()
    return forEver()
  },
})

export const showBrokenPage = endpoint({
  method: 'GET',
  path: '/broken/{how}',
  access: 'public',
  summary: 'Refuse with a page that fails or never ends, or stream what is not declared',
  params: { how: z.string() },
  produces: 'text/html',
  output: z.string(),
  errors: { 404: ['CASE_NOT_FOUND'] },
  errorPage: (_services, _refusal, { params }) => {
    if (params.how === 'fails') throw new Error('The template is broken.')
    return forEver()
  },
  handle: async () => {
    throw notFound('CASE_NOT_FOUND')
  },
})

export const streamUndeclaredType = endpoint({
  method: 'GET',
  path: '/api/v1/toys/undeclared',
  access: 'public',
  summary: 'Stream a type that is not declared',
  produces: 'stream',
  types: ['text/csv'],
  handle: async () => ({
    filename: 'a.html',
    mimeType: 'text/html',
    open: async () => once(Buffer.from('<p>')),
  }),
})

export const rateToy = endpoint({
  method: 'POST',
  path: '/api/v1/toys/{id}/ratings',
  access: 'public',
  summary: 'Rate a toy',
  params: { id: idOf('case') },
  encoding: 'urlencoded',
  body: z.object({ stars: z.enum(['1', '2', '3']) }),
  status: 201,
  output: z.object({ stars: z.int() }),
  example: { params: { id: toyId }, body: { stars: '3' }, answer: { stars: 3 } },
  handle: async (_, { body }) => ({ stars: Number(body.stars) }),
})

export const receiveToyMail = endpoint({
  method: 'POST',
  path: '/toys/mail',
  access: {
    in: 'form',
    names: ['timestamp', 'token', 'signature'],
    description: 'the HMAC-SHA256 of `timestamp` and `token`.',
    verify: async (services, { timestamp, token, signature }) => {
      const expected = createHmac('sha256', signingKey).update(`${timestamp}${token}`).digest('hex')
      if (signature !== expected) throw refused()
      return admit(services, token)
    },
  },
  summary: 'Take a mail',
  encoding: ['form', 'urlencoded'],
  body: z.looseObject({ from: z.string(), recipient: z.string() }),
  files: {
    attachments: { max: 50, optional: true, named: 'attachment-N', description: 'What was attached.' },
    rest: { max: 2, optional: true, named: '*' },
  },
  formLimits: { fields: 300, fieldBytes: 1024 * 1024 },
  output: z.object({
    shop: z.string(),
    attachments: z.array(z.string()),
    rest: z.array(z.string()),
  }),
  errors: { 401: ['WEBHOOK_TOKEN_INVALID'], 406: ['USER_NOT_FOUND'], 410: ['ICAL_TOKEN_INVALID'] },
  example: {
    body: { from: 'a@example.de', recipient: 'b@example.de' },
    answer: { shop: shops.one, attachments: [], rest: [] },
  },
  handle: async ({ received }, { actor, body, files }) => {
    if (body.recipient === 'nobody@example.de')
      throw new Failure('not_acceptable', 'USER_NOT_FOUND', 'Nobody has this address.')
    received.push({ shop: actor.workspace_id, ...body })
    const describe = ({ name, filename, claimedType, bytes }: (typeof files.rest)[number]) =>
      `${name}|${filename}|${claimedType}|${Buffer.from(bytes)}`
    return {
      shop: actor.workspace_id,
      attachments: files.attachments.map(describe),
      rest: files.rest.map(describe),
    }
  },
})

export const pushToy = endpoint({
  method: 'POST',
  path: '/toy-box/{id}',
  access: {
    in: 'header',
    name: 'X-Toy-Secret',
    description: 'the secret of the shop.',
    verify: admit,
  },
  summary: 'Push a toy into a shop',
  params: { id: idOf('case') },
  encoding: 'form',
  body: z.object({ name: nameText() }),
  files: { photo: { max: 1, optional: true }, manuals: { max: 3, optional: true } },
  undeclaredFiles: 'refuse',
  malformed: 422,
  output: z.object({ photo: z.string().nullable(), manuals: z.int(), shop: z.string() }),
  errors: { 401: ['WEBHOOK_TOKEN_INVALID'], 410: ['ICAL_TOKEN_INVALID'] },
  example: {
    params: { id: toyId },
    body: { name: 'Bagger' },
    answer: { photo: null, manuals: 0, shop: shops.one },
  },
  handle: async (_, { actor, files }) => ({
    photo: files.photo?.filename ?? null,
    manuals: files.manuals.length,
    shop: actor.workspace_id,
  }),
})

export const showToys = endpoint({
  method: 'GET',
  path: '/toys/{token}',
  ...page,
  caller: { languages: ['de', 'en'], cookie: 'toy_code' },
  errorPage: (services, refusal, request) => errorPage(services, refusal, request),
  summary: 'Look at the toys of a shop',
  produces: 'text/html',
  output: z.string(),
  handle: async (_, { actor, caller }) =>
    `<!doctype html><html lang="${caller.language}"><p>${actor.workspace_id}</p><p>${escaped(caller.cookie ?? '')}</p>`,
})

export const orderToy = endpoint({
  method: 'POST',
  path: '/toys/{token}/order',
  ...page,
  caller: { languages: ['de', 'en'], ip: true, userAgent: true },
  permit: (_services, { actor }) => {
    if (actor.workspace_id === shops.closed) throw gone()
  },
  errorPage: (services, refusal, request) => errorPage(services, refusal, request),
  summary: 'Order a toy',
  encoding: 'urlencoded',
  body: z.object({ name: nameText(), consent: z.literal('yes') }),
  malformed: 422,
  produces: 'redirect',
  status: 303,
  example: { ...page.example, body: { name: 'Bagger', consent: 'yes' } },
  handle: async ({ received }, { actor, params, body, caller }) => {
    received.push({ shop: actor.workspace_id, name: body.name, ip: caller.ip, userAgent: caller.userAgent })
    return {
      location: `/toys/${params.token}`,
      setCookie: { name: 'toy_code', value: '4711', path: `/toys/${params.token}`, maxAgeSeconds: 3_600 },
    }
  },
})

const bytes = Buffer.from('%PDF-1.7 Ein Bagger.')

const manualTypes: Record<string, string> = { pdf: 'application/pdf', txt: 'text/plain' }

export const showToyManual = endpoint({
  method: 'GET',
  path: '/toys/{token}/manuals/{name}',
  ...page,
  params: { token: z.string(), name: z.string() },
  example: { params: { token: secrets.one, name: 'Bagger.pdf' } },
  summary: 'Look at the manual of a toy',
  produces: 'file',
  disposition: 'inline',
  handle: async (_, { params }) => ({
    filename: params.name,
    mimeType: manualTypes[params.name.split('.')[1] ?? ''] ?? 'image/svg+xml',
    sizeBytes: bytes.length,
    version: 'one',
    open: async (range) => once(bytes.subarray(range?.first, range && range.last + 1)),
  }),
})

export const exportToys = endpoint({
  method: 'GET',
  path: '/api/v1/toys/export',
  access: {
    in: 'query',
    name: 'token',
    description: 'the token of the export.',
    example: secrets.one,
    verify: admit,
  },
  summary: 'Export the toys of a shop',
  query: z.object({ rows: z.string().optional(), breaksOff: z.string().optional() }),
  produces: 'stream',
  types: ['text/csv', 'application/json'],
  errors: { 401: ['WEBHOOK_TOKEN_INVALID'], 410: ['ICAL_TOKEN_INVALID'] },
  handle: async (_, { actor, query }) => ({
    filename: 'Spielzeug.csv',
    mimeType: 'text/csv; charset=utf-8; header=present',
    open: async () => rowsOf(actor.workspace_id, Number(query.rows ?? 3), query.breaksOff === 'yes'),
  }),
})

async function* once(chunk: Uint8Array) {
  yield chunk
}

async function* rowsOf(shop: string, rows: number, breaksOff: boolean) {
  yield Buffer.from('shop,row\r\n')
  for (let from = 0; from < rows; from += 1_000) {
    if (breaksOff && from > 0) throw new Error('The table went away.')
    const batch = Array.from({ length: Math.min(1_000, rows - from) }, (_, at) => `${shop},${from + at}\r\n`)
    yield Buffer.from(batch.join(''))
  }
}
