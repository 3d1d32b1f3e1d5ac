import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { LambdaHandler } from '#http/serve.ts'
import { bundle } from '#infra/constructs/bundling.ts'

vi.stubEnv('LOG_LEVEL', 'SILENT')

const get = (handler: LambdaHandler, resource: string, headers: Record<string, string> = {}) =>
  handler(
    {
      httpMethod: 'GET',
      resource,
      path: resource,
      headers: { 'X-Forwarded-Proto': 'https', ...headers },
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: null,
      isBase64Encoded: false,
      requestContext: { requestId: 'r-1', domainName: 'api.example.de', stage: 'dev' },
    } as unknown as APIGatewayProxyEvent,
    { getRemainingTimeInMillis: () => 10_000 } as Context,
  )

describe('the documentation', () => {
  let handler: LambdaHandler
  beforeAll(async () => {
    handler = (await import('#functions/docs/index.ts')).handler
  })

  it('is a page that names no external address and may load nothing from one', async () => {
    const { statusCode, headers, body } = await get(handler, '/docs')

    expect(statusCode).toBe(200)
    expect(headers?.['Content-Type']).toBe('text/html; charset=utf-8')
    expect(headers?.['Content-Security-Policy']).toMatch(
      /^default-src 'none'; script-src 'self'; connect-src 'self';/,
    )
    const addresses = [...body.matchAll(/(?:src|href|data-url)="([^"]*)"/g)].map(([, address]) => address)
    expect(addresses.filter((address) => !address?.startsWith('data:'))).toEqual([
      '/api/v1/openapi.json',
      '/api/v1/openapi.json',
      '/docs/scalar.js',
    ])
  })

  it('describes the service under the address that the caller used', async () => {
    const { body } = await get(handler, '/api/v1/openapi.json')

    expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.1', servers: [{ url: 'https://api.example.de' }] })
  })

  it('is not sent again to who has it', async () => {
    const { headers } = await get(handler, '/api/v1/openapi.json')

    const again = await get(handler, '/api/v1/openapi.json', { 'If-None-Match': String(headers?.ETag) })

    expect(again).toMatchObject({ statusCode: 304, body: '' })
  })

  it('brings a script that fits into the answer of a Lambda', async () => {
    const answer = await get(handler, '/docs/scalar.js')

    expect(answer.headers?.['Content-Type']).toBe('text/javascript; charset=utf-8')
    expect(answer.body).toContain('createApiReference')
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(6 * 1024 * 1024)
  })
})

describe('the documentation as it is deployed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-docs-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  let handler: LambdaHandler
  beforeAll(async () => {
    const file = await bundle('functions/docs/index.ts', join(folder, 'index.mjs'))
    handler = (await import(pathToFileURL(file).href)).handler
  })

  it('holds the document ready made, without the schemas that it is made from', async () => {
    const deployed = await get(handler, '/api/v1/openapi.json')
    const { handler: source } = await import('#functions/docs/index.ts')
    const made = await get(source, '/api/v1/openapi.json')

    expect(JSON.parse(deployed.body)).toEqual(JSON.parse(made.body))
    expect(deployed.headers?.ETag).toBe(made.headers?.ETag)
    const code = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('')
    // A text of the schemas' checks, which is in no document.
    expect(code).not.toContain('This is in the future. Send the `as_of` of the last answer.')
  })

  it('loads its script from the folder of the bundle', async () => {
    writeFileSync(join(folder, 'standalone.js'), '/* beside */')

    expect((await get(handler, '/docs/scalar.js')).body).toBe('/* beside */')
  })
})
