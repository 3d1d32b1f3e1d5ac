import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import type { OpenApiDocument } from '#http/openapi/types.ts'
import { pageAt, pageHeaders } from './page.ts'

const endpoint = endpointsOf<{ document: () => Promise<OpenApiDocument>; script: () => Promise<string> }>()

const Document = z
  .looseObject({
    openapi: z.string(),
    info: z.record(z.string(), z.unknown()),
    paths: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'OpenApiDocument', description: 'An OpenAPI 3.1 document.' })

export const getOpenApiDocument = endpoint({
  method: 'GET',
  path: '/api/v1/openapi.json',
  access: 'public',
  summary: 'Get the OpenAPI document',
  description: 'Describes every endpoint in OpenAPI 3.1, for client generators and other tools.',
  output: Document,
  etag: Document,
  fixed: true,
  example: {
    answer: { openapi: '3.1.1', info: { title: 'Aktenlage', version: '1.0.0' }, paths: {} },
  },
  headers: { 'Cache-Control': 'no-cache' },
  handle: async ({ document }, { baseUrl }) => ({
    ...(await document()),
    servers: [{ url: baseUrl }],
  }),
})

export const openDocs = endpoint({
  method: 'GET',
  path: '/',
  access: 'public',
  summary: 'Go to the documentation page',
  produces: 'redirect',
  status: 302,
  handle: async () => ({ location: '/docs' }),
})

export const getDocsPage = endpoint({
  method: 'GET',
  path: '/docs',
  access: 'public',
  summary: 'Get the documentation page',
  description: 'A page that shows the OpenAPI document and can send requests.',
  output: z.string(),
  produces: 'text/html',
  headers: pageHeaders,
  fixed: true,
  handle: async (_, { baseUrl }) => pageAt(baseUrl),
})

export const getDocsScript = endpoint({
  method: 'GET',
  path: '/docs/scalar.js',
  access: 'public',
  summary: 'Get the script of the documentation page',
  output: z.string(),
  produces: 'text/javascript',
  etag: z.string(),
  fixed: true,
  headers: { 'Cache-Control': 'public, max-age=86400' },
  handle: ({ script }) => script(),
})
