import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { serviceDocument } from '#functions/docs/service-document.ts'
import { allEndpoints } from '#functions/manifest.ts'
import { type Endpoint, type Endpoints, endpointsOf } from '#http/endpoint.ts'
import { openapi } from '#http/openapi/document.ts'
import type { Answer, OpenApiDocument, ServiceInfo } from '#http/openapi/types.ts'
import { lint } from '#infra/tools/lint-openapi.ts'
import { documented } from '#test/support/documented.ts'
import * as toys from './toy-endpoints.ts'
import * as toyService from './toy-service.ts'

const info: ServiceInfo = {
  title: 'Toys',
  version: '1.0.0',
  description: 'Toys.',
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  groups: {
    toys: { name: 'All toys', description: 'To play with.' },
    'toy-box': { name: 'Box', description: 'Where they are kept.' },
  },
  vocabulary: { everywhere: {}, inSchema: {} },
}

const documentOf = (endpoints: Endpoints<never>): OpenApiDocument =>
  openapi(
    Object.entries(endpoints).map(([operation, endpoint]) => ({ operation, endpoint })),
    info,
  )

const operationsOf = (document: OpenApiDocument) =>
  Object.values(document.paths).flatMap((methods) => Object.values(methods))

/** The answers of an operation, with shared ones looked up. */
const answersOf = (document: OpenApiDocument, operationId: string): Record<string, Answer> => {
  const operation = operationsOf(document).find((candidate) => candidate.operationId === operationId)
  if (operation === undefined) throw new Error(`There is no operation ${operationId}.`)
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, answer]) => {
      if (!('$ref' in answer)) return [status, answer]
      const shared = document.components.responses[answer.$ref.split('/').at(-1) ?? '']
      if (shared === undefined) throw new Error(`${answer.$ref} leads nowhere.`)
      return [status, shared]
    }),
  )
}

const codesOf = (answer: Answer | undefined) =>
  Object.keys(answer?.content?.['application/json']?.examples ?? {})

const schemaOf = (answer: Answer | undefined) => answer?.content?.['application/json']?.schema

describe('the document of some endpoints', () => {
  const document = documentOf(toys)

  it('passes the linter with every rule on', () => {
    const { passed, report } = lint(document)

    expect(passed, report).toBe(true)
  })

  it('names each operation after its declaration and puts it into the group of its path', () => {
    expect(document.paths['/api/v1/toys']?.get).toMatchObject({
      operationId: 'listToys',
      tags: ['All toys'],
      summary: 'List toys',
    })
    expect(document.paths['/api/v1/toy-box/owner']?.get?.tags).toEqual(['Box'])
    expect(document.tags).toEqual(Object.values(info.groups))
  })

  it('is the same whatever order the declarations have', () => {
    const reversed = Object.fromEntries(Object.entries(toys).reverse())

    expect(JSON.stringify(documentOf(reversed))).toBe(JSON.stringify(document))
  })

  it('describes query parameters with type, bounds, default and example', () => {
    const parameters = document.paths['/api/v1/toys']?.get?.parameters

    expect(parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'The maximum number of items on a page, 1 to 100.',
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      example: 10,
    })
    expect(parameters).toContainEqual({
      name: 'since',
      in: 'query',
      required: true,
      schema: { type: 'string' },
      example: '2026',
    })
  })

  it('refers to named schemas and shows requests as they come in, answers as they go out', () => {
    const { schemas } = document.components

    expect(schemaOf(answersOf(document, 'getToy')[200])).toEqual({ $ref: '#/components/schemas/Toy' })
    expect(schemas.Toy?.properties?.owner).toEqual({
      anyOf: [{ $ref: '#/components/schemas/ToySummary' }, { type: 'null' }],
    })
    expect(schemas.Toy?.required).toContain('status')
    expect(schemas.NewToy?.required).toEqual(['name'])
  })

  it('tells whether a body may be left out', () => {
    expect(document.paths['/api/v1/toys']?.post?.requestBody?.required).toBe(true)
    expect(document.paths['/api/v1/toys/{id}']?.put?.requestBody?.required).toBe(false)
  })

  it('states who may call', () => {
    const { post } = document.paths['/api/v1/toys'] ?? {}
    expect(post?.['x-required-scope']).toEqual(['cases:write', 'workspace:admin'])
    expect(post?.description).toContain('Needs one of the scopes `cases:write`, `workspace:admin`.')
    expect(document.paths['/toys']?.get?.security).toEqual([])
    expect(document.paths['/api/v1/toys/{id}']?.get?.description).toContain('Needs the scope `cases:read`.')
    expect(document.security).toEqual([{ apiKey: [] }])
  })

  it.each([
    ['listToys', ['200', '400', '401', '403', '429', '500', '503']],
    ['createToy', ['201', '400', '401', '403', '404', '409', '413', '415', '429', '500', '503']],
    ['getToy', ['200', '304', '400', '401', '403', '404', '429', '500', '503']],
    ['updateToy', ['200', '400', '401', '403', '404', '412', '413', '415', '429', '500', '503']],
    ['deleteToy', ['204', '400', '401', '403', '404', '412', '429', '500', '503']],
    ['whoAmI', ['200', '400', '401', '403', '429', '500', '503']],
    ['getToyPage', ['200', '403', '429', '500', '503']],
  ])('lists exactly the statuses that %s can answer', (operation, statuses) => {
    expect(Object.keys(answersOf(document, operation))).toEqual(statuses)
  })

  it('lets a precondition be sent with a change and a deletion, not with a creation', () => {
    const headersOf = (path: string, method: string) =>
      (document.paths[path]?.[method]?.parameters ?? [])
        .filter((parameter) => parameter.in === 'header')
        .map(({ name }) => name)

    expect(headersOf('/api/v1/toys/{id}', 'get')).toEqual(['If-None-Match'])
    expect(headersOf('/api/v1/toys/{id}', 'put')).toEqual(['If-Match', 'Prefer'])
    expect(headersOf('/api/v1/toys/{id}', 'delete')).toEqual(['If-Match'])
    expect(headersOf('/api/v1/toys', 'post')).toEqual(['Idempotency-Key', 'Prefer'])
  })

  it('narrows each error answer to its codes, with a true example of each', () => {
    const answers = answersOf(document, 'createToy')

    expect(codesOf(answers[404])).toEqual(['PARTY_NOT_FOUND', 'USER_NOT_FOUND'])
    expect(codesOf(answers[409])).toEqual([
      'IDEMPOTENCY_KEY_REUSED',
      'REQUEST_IN_PROGRESS',
      'FILE_NUMBER_TAKEN',
    ])
    expect(answers[404]?.content?.['application/json']?.examples?.USER_NOT_FOUND?.value).toMatchObject({
      error: { code: 'USER_NOT_FOUND', message: 'There is no user with this id in your workspace.' },
    })
    expect(
      answersOf(document, 'getToy')[403]?.content?.['application/json']?.examples?.AUTH_INSUFFICIENT_SCOPE
        ?.value,
    ).toMatchObject({
      error: { message: 'This needs the scope cases:read.' },
    })
  })

  it('says which headers come with an answer', () => {
    const answers = answersOf(document, 'getToy')

    const created = answersOf(document, 'createToy')
    const namesOf = (answer: Answer | undefined) => Object.keys(answer?.headers ?? {})
    const always = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
    const ofBody = ['X-Ignored-Fields', 'Preference-Applied']

    expect(namesOf(answers[200])).toEqual([...always, 'ETag'])
    expect(namesOf(answers[304])).toEqual([...always, 'ETag'])
    expect(namesOf(answers[401])).toEqual(['X-Request-Id', 'WWW-Authenticate'])
    expect(namesOf(answers[404])).toEqual(always)
    expect(namesOf(answers[429])).toEqual([...always, 'Retry-After'])
    expect(namesOf(answers[503])).toEqual([...always, 'Retry-After'])
    expect(namesOf(created[201])).toEqual([...always, ...ofBody, 'ETag', 'Idempotent-Replayed'])
    expect(namesOf(created[403])).toEqual(always)
    expect(namesOf(created[409])).toEqual([...always, ...ofBody, 'Retry-After'])
    expect(namesOf(answersOf(document, 'getToyPage')[503])).toEqual(['X-Request-Id', 'Retry-After'])
  })
})

describe('the document of endpoints with forms, pages, files and credentials of their own', () => {
  const { receiveToyMail, pushToy, startToySync, showToys, orderToy, showToyManual, exportToys } = toyService
  const document = documentOf({
    receiveToyMail,
    pushToy,
    startToySync,
    showToys,
    orderToy,
    showToyManual,
    exportToys,
  })
  const operation = (id: string) => operationsOf(document).find(({ operationId }) => operationId === id)

  it('passes the linter with every rule on', () => {
    const { passed, report } = lint(document)

    expect(passed, report).toBe(true)
  })

  it.each([
    ['startToySync', ['202', '400', '403', '429', '500', '503']],
    ['receiveToyMail', ['200', '400', '401', '403', '406', '410', '413', '415', '429', '500', '503']],
    ['pushToy', ['200', '401', '403', '410', '413', '415', '422', '429', '500', '503']],
    ['orderToy', ['303', '403', '404', '410', '413', '415', '422', '429', '500', '503']],
    ['showToys', ['200', '400', '403', '404', '410', '429', '500', '503']],
    ['showToyManual', ['200', '206', '304', '400', '403', '404', '410', '416', '429', '500', '503']],
    ['exportToys', ['200', '400', '401', '403', '410', '429', '500', '503']],
  ])('lists exactly the statuses that %s can answer', (id, statuses) => {
    expect(Object.keys(answersOf(document, id))).toEqual(statuses)
  })

  it('shows a form in each encoding, with its files if the encoding can hold them', () => {
    const content = operation('receiveToyMail')?.requestBody?.content ?? {}
    const propertiesOf = (type: string) => Object.keys(content[type]?.schema.properties ?? {})

    const fields = ['timestamp', 'token', 'signature', 'from', 'recipient']
    expect(propertiesOf('multipart/form-data')).toEqual(['attachment-N', ...fields])
    expect(propertiesOf('application/x-www-form-urlencoded')).toEqual(fields)
    expect(content['multipart/form-data']?.schema.required).toEqual(fields)
  })

  it('does not require optional files', () => {
    const schema = operation('pushToy')?.requestBody?.content['multipart/form-data']?.schema

    expect(schema?.required).toEqual(['name'])
    expect(schema?.properties?.manuals).toMatchObject({ type: 'array', minItems: 0, maxItems: 3 })
  })

  it('names the place of a credential', () => {
    expect(operation('pushToy')?.parameters).toContainEqual(
      expect.objectContaining({ name: 'X-Toy-Secret', in: 'header', required: true }),
    )
    expect(operation('exportToys')?.parameters).toContainEqual(
      expect.objectContaining({ name: 'token', in: 'query', required: true }),
    )
    expect(operation('receiveToyMail')?.description).toContain(
      'the form fields `timestamp`, `token`, `signature`',
    )
    for (const id of ['pushToy', 'exportToys', 'receiveToyMail', 'showToys'])
      expect(operation(id)?.security).toEqual([])
  })

  it('says that refusals of a page may be HTML', () => {
    const answers = answersOf(document, 'orderToy')

    expect(Object.keys(answers[422]?.content ?? {})).toEqual(['application/json', 'text/html'])
    expect(answers[303]?.headers).toHaveProperty('Location')
  })

  it('names the types of a stream', () => {
    const { content = {} } = answersOf(document, 'exportToys')[200] ?? {}

    expect(Object.keys(content)).toEqual(['text/csv', 'application/json'])
  })
})

describe('a document is refused, and the place is named,', () => {
  const declare = endpointsOf<unknown>()
  const get = (path: `/api/v1/${string}`, output: z.ZodType, body?: z.ZodType) =>
    declare({
      method: 'POST',
      path,
      access: 'public',
      summary: 'A',
      output,
      ...(body && { body }),
      handle: () => Promise.reject(),
    } as never)

  it('when two schemas share a name and differ', () => {
    const one = z.object({ a: z.string() }).meta({ id: 'Twin' })
    const other = z.object({ a: z.number() }).meta({ id: 'Twin' })

    expect(() => documentOf({ first: get('/api/v1/a', one), second: get('/api/v1/b', other) })).toThrow(
      /Twin has one shape in the answer of first and another in the answer of second/,
    )
  })

  it('when a request and an answer show one name in two shapes', () => {
    const shared = z.object({ status: z.string().default('new') }).meta({ id: 'Shared' })

    expect(() => documentOf({ share: get('/api/v1/shared', shared, shared) })).toThrow(
      /Shared has one shape in the body of share and another in the answer of share/,
    )
  })

  it('when an answer cannot be expressed', () => {
    expect(() => documentOf({ odd: get('/api/v1/odd', z.string().transform(Number)) })).toThrow(
      /the answer of odd/,
    )
  })

  it('when a route is declared twice', () => {
    const twice: Record<string, Endpoint<never>> = {
      one: get('/api/v1/x', z.string()),
      two: get('/api/v1/x', z.string()),
    }

    expect(() => documentOf(twice)).toThrow('POST /api/v1/x is declared twice.')
  })
})

describe('the document of the service', () => {
  const document = serviceDocument()
  const checks = documented(document)

  it('passes the linter with every rule on', () => {
    const { passed, report } = lint(document)

    expect(passed, report).toBe(true)
  })

  it('holds every endpoint of the manifest, itself included', () => {
    expect(
      operationsOf(document)
        .map((operation) => operation.operationId)
        .sort(),
    ).toEqual(allEndpoints.map(({ operation }) => operation).sort())
    expect(document.paths['/api/v1/openapi.json']?.get).toBeDefined()
  })

  it('lets every POST with an API key be repeated with an Idempotency-Key', () => {
    const lacking = Object.entries(document.paths).flatMap(([path, { post }]) => {
      if (post === undefined || post.security !== undefined || !path.startsWith('/api/v1/')) return []
      const headers = post.parameters?.filter(({ in: place }) => place === 'header').map(({ name }) => name)
      const answers = Object.values(answersOf(document, post.operationId)).filter(({ headers = {} }) =>
        Object.keys(headers).includes('Idempotent-Replayed'),
      )
      return headers?.includes('Idempotency-Key') && answers.length === 1 ? [] : [post.operationId]
    })

    expect(lacking).toEqual([])
  })

  it('says the allowance in every answer to a key that is known, and how to show one in every 401', () => {
    for (const { operationId, security } of operationsOf(document)) {
      for (const [status, { headers = {} }] of Object.entries(answersOf(document, operationId))) {
        const names = Object.keys(headers)
        expect([operationId, status, names.includes('RateLimit')]).toEqual([
          operationId,
          status,
          security === undefined && status !== '401',
        ])
        expect(names.includes('WWW-Authenticate')).toBe(status === '401')
      }
    }
  })

  it('gives every group a meaning', () => {
    expect(document.tags.filter((tag) => tag.description === undefined)).toEqual([])
  })

  it.each(allEndpoints)('describes what $operation does, its answers and its errors', ({
    operation,
    endpoint,
  }) => {
    const { summary } = operationsOf(document).find(({ operationId }) => operationId === operation) ?? {}
    const answers = answersOf(document, operation)

    expect(summary).toMatch(/^[A-Z].*[^.]$/)
    expect(Object.keys(answers)).toContain(String(endpoint.status))
    for (const [status, answer] of Object.entries(answers)) {
      if (Number(status) < 400) continue
      expect(codesOf(answer), `${operation} ${status}`).not.toHaveLength(0)
    }
  })

  it.each(allEndpoints)('shows examples of $operation that its own schemas accept', ({ endpoint }) => {
    const { params = {}, query, body, answer } = endpoint.example

    for (const [name, value] of Object.entries(params))
      expect(endpoint.params[name]?.safeParse(value)).toMatchObject({ success: true })
    if (query !== undefined) expect(endpoint.query?.safeParse(query)).toMatchObject({ success: true })
    if (body !== undefined) expect(endpoint.body?.safeParse(body)).toMatchObject({ success: true })
    if (answer !== undefined) expect(endpoint.output?.parse(answer)).toEqual(answer)
  })

  it.each(allEndpoints)('shows examples of $operation that are as it describes them itself', ({
    operation,
    endpoint: { status, encodings, example },
  }) => {
    const { answerFaults, bodyFaults } = checks

    // An answer that may replace 204 has status 200.
    const answered = status === 204 ? 200 : status
    if (example.answer !== undefined) expect(answerFaults(operation, answered, example.answer)).toEqual([])
    if (example.body !== undefined && encodings.includes('json'))
      expect(bodyFaults(operation, example.body)).toEqual([])
  })

  it('costs the function that serves it no adapter', async () => {
    const { metafile } = await build({
      entryPoints: ['functions/docs/index.ts'],
      bundle: true,
      platform: 'node',
      format: 'esm',
      metafile: true,
      write: false,
    })

    const heavy = Object.keys(metafile.inputs).filter((file) =>
      /packages\/store\/|@aws-sdk\/|electrodb|@scalar\//.test(file),
    )
    expect(heavy).toEqual([])
  })
})
