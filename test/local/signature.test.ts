import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SignatureOptions, verifySignature } from '#infra/local/emulators/signature.ts'
import { epochMilliseconds } from '#kernel/clock.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'the secret of this run' }
/** Keeps the requests that clients of AWS sign, as they arrive. */
let server: Server
let arrived: { request: IncomingMessage; body: string }
let options: { endpoint: string; region: string; credentials: typeof credentials }

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    arrived = { request, body }
    response.end('{}')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  options = { endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', credentials }
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function signedForS3(): Promise<IncomingMessage> {
  const Key = "ws_1/Müller & Söhne (1)*'!~+=.pdf"
  const command = new PutObjectCommand({
    Bucket: 'files',
    Key,
    Body: 'the bytes',
    Metadata: { note: ' a  b ' },
  })
  await new S3Client({ ...options, forcePathStyle: true }).send(command)
  return arrived.request
}

async function presigned(expiresIn = 60): Promise<IncomingMessage> {
  const command = new GetObjectCommand({
    Bucket: 'files',
    Key: 'ws_1/file',
    ResponseContentDisposition: 'attachment; filename="ä b+c.pdf"',
  })
  await fetch(await getSignedUrl(new S3Client({ ...options, forcePathStyle: true }), command, { expiresIn }))
  return arrived.request
}

async function signedForSqs(): Promise<{ request: IncomingMessage; body: string }> {
  const client = new SQSClient({ ...options, useQueueUrlAsEndpoint: false, maxAttempts: 1 })
  await client
    .send(new SendMessageCommand({ QueueUrl: `${options.endpoint}/1/q`, MessageBody: 'ä' }))
    .catch(() => {})
  return arrived
}

const verify = (request: IncomingMessage, changes: Partial<SignatureOptions> = {}) =>
  verifySignature(request, { service: 's3', credentials, ...changes })
/** The request with something else in it. */
const changed = (request: IncomingMessage, changes: object) =>
  Object.assign(Object.create(request), changes) as IncomingMessage

describe('a signature in the header', () => {
  test('is accepted for the request that it was made for', async () => {
    const s3 = await signedForS3()
    const { request: sqs, body } = await signedForSqs()

    expect(await verify(s3)).toBe('header')
    expect(await verify(sqs, { service: 'sqs', body: Buffer.from(body) })).toBe('header')
  })

  test('covers the body whatever digest the header names', async () => {
    const { request } = await signedForSqs()

    const verified = verify(request, { service: 'sqs', body: Buffer.from('another body') })

    await expect(verified).rejects.toThrow('The signature does not match')
  })

  test('covers the body also where no header names its digest', async () => {
    const signer = new SignatureV4({
      ...options,
      service: 'sqs',
      sha256: Hash.bind(null, 'sha256'),
      applyChecksum: false,
    })
    const request = { method: 'POST', url: '/', path: '/', protocol: 'http:', hostname: '127.0.0.1' }
    const signed = await signer.sign({ ...request, headers: { host: '127.0.0.1' }, body: 'ä' })
    const verified = (content: string) =>
      verify(changed(arrived.request, { ...request, headers: signed.headers }), {
        service: 'sqs',
        body: Buffer.from(content),
      })

    expect(await verified('ä')).toBe('header')
    await expect(verified('another body')).rejects.toThrow('The signature does not match')
  })

  test.each<[string, (request: IncomingMessage) => IncomingMessage]>([
    ['method', (request) => changed(request, { method: 'DELETE' })],
    ['path', (request) => changed(request, { url: request.url?.replace('ws_1', 'ws_2') })],
    ['query', (request) => changed(request, { url: `${request.url}&a=1` })],
    ['host', (request) => changed(request, { headers: { ...request.headers, host: 'b' } })],
    [
      'digest of the body',
      (request) =>
        changed(request, { headers: { ...request.headers, 'x-amz-content-sha256': '0'.repeat(64) } }),
    ],
    ['metadata', (request) => changed(request, { headers: { ...request.headers, 'x-amz-meta-note': 'c' } })],
  ])('is refused for another %s', async (_what, change) => {
    const request = await signedForS3()

    await expect(verify(change(request))).rejects.toThrow('The signature does not match')
  })

  test('is refused where a header is there that it does not cover', async () => {
    const request = await signedForS3()

    await expect(
      verify(changed(request, { headers: { ...request.headers, 'x-amz-acl': 'public-read' } })),
    ).rejects.toThrow('x-amz-acl')
  })

  test.each<[string, Partial<SignatureOptions>]>([
    ['secret', { credentials: { ...credentials, secretAccessKey: 'another' } }],
    ['key id', { credentials: { ...credentials, accessKeyId: 'another' } }],
    ['service', { service: 'sqs' }],
  ])('is refused for another %s', async (_what, changes) => {
    const request = await signedForS3()

    await expect(verify(request, changes)).rejects.toThrow('The signature does not match')
  })

  test('is good for fifteen minutes before and after its time', async () => {
    const request = await signedForS3()
    const minutes = (count: number) => ({ now: epochMilliseconds() + count * 60_000 })

    expect(await verify(request, minutes(14))).toBe('header')
    expect(await verify(request, minutes(-14))).toBe('header')
    await expect(verify(request, minutes(16))).rejects.toThrow('differs too much')
    await expect(verify(request, minutes(-16))).rejects.toThrow('differs too much')
  })

  test.each([
    undefined,
    '',
    'Bearer x',
    'AWS local:c2ln',
    'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=',
    'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/s3/aws4_request, SignedHeaders=host, Signature=zz',
  ])('that is none is refused: %s', async (authorization) => {
    const request = await signedForS3()

    await expect(
      verify(changed(request, { headers: { ...request.headers, authorization } })),
    ).rejects.toThrow()
  })
})

describe('a signature in the query', () => {
  test('is accepted until its time is over', async () => {
    const request = await presigned(600)

    expect(await verify(request)).toBe('query')
    expect(await verify(request, { now: epochMilliseconds() + 540_000 })).toBe('query')
    await expect(verify(request, { now: epochMilliseconds() + 601_000 })).rejects.toThrow('expired')
    await expect(verify(request, { now: epochMilliseconds() - 20 * 60_000 })).rejects.toThrow('expired')
  })

  test.each<[string, (url: string) => string]>([
    ['another path', (url) => url.replace('/file?', '/other?')],
    ['another answer', (url) => url.replace('attachment', 'inline')],
    ['more time', (url) => url.replace('Expires=60', 'Expires=61')],
    ['time without end', (url) => url.replace('Expires=60', 'Expires=9999999')],
    ['a parameter more', (url) => `${url}&versionId=1`],
    ['a parameter twice', (url) => `${url}&X-Amz-Date=20200101T000000Z`],
    ['broken encoding', (url) => `${url}&a=%zz`],
    ['fewer signed headers', (url) => url.replace('SignedHeaders=host', 'SignedHeaders=')],
    ['another algorithm', (url) => url.replace('AWS4-HMAC-SHA256', 'NONE')],
  ])('is refused with %s', async (_what, change) => {
    const request = await presigned()
    const url = change(request.url ?? '')

    expect(url).not.toBe(request.url)
    await expect(verify(changed(request, { url }))).rejects.toThrow()
  })
})
