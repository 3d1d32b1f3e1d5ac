import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetBucketCorsCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { s3Files } from '#files/s3-files.ts'
import { type ServiceThread, startThread } from '#infra/local/emulators/thread.ts'
import { type MailEnvelope, mailFolder } from '#infra/local/mail-folder.ts'
import { epochMilliseconds } from '#kernel/clock.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'the secret of this run' }
const Bucket = 'aktenlage-local'
const text = { mimeType: 'text/plain', sha256: digest('the bytes') }
let folder: string
let s3: ServiceThread
let client: S3Client
let files: ReturnType<typeof s3Files>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aktenlage-'))
  s3 = await startThread({
    name: 'S3',
    module: new URL('../../infra/local/emulators/s3.ts', import.meta.url),
    workerData: { filesDir: join(folder, 's3'), bucket: Bucket, credentials },
  })
  client = clientWith(credentials.secretAccessKey)
  files = s3Files(Bucket, client)
})
beforeEach(() => files.put('ws_1/file', Buffer.from('the bytes'), text))
afterAll(async () => {
  client.destroy()
  await s3.stop()
  rmSync(folder, { recursive: true })
})

test('the local S3 removes at its start the objects that the lifecycle of the bucket removes on AWS', async () => {
  const filesDir = mkdtempSync(join(tmpdir(), 'aktenlage-'))
  const start = () =>
    startThread({
      name: 'S3',
      module: new URL('../../infra/local/emulators/s3.ts', import.meta.url),
      workerData: { filesDir, bucket: Bucket, credentials },
    })
  const bucketAt = ({ endpoint }: ServiceThread) =>
    s3Files(Bucket, clientWith(credentials.secretAccessKey, endpoint))
  const daysOld = {
    'uploads/ws_1/doc_1': 1.9,
    'uploads/ws_1/doc_2': 2.1,
    'received/1': 29,
    'received/2': 31,
    'files/ws_1/doc_2/digest': 400,
  }
  const before = await start()
  for (const [key, days] of Object.entries(daysOld)) {
    await bucketAt(before).put(key, Buffer.from('the bytes'), text)
    const at = new Date(epochMilliseconds() - days * 86_400_000)
    utimesSync(join(filesDir, Bucket, `${key}._S3rver_object`), at, at)
  }
  await before.stop()

  const after = await start()
  const found = await Promise.all(
    Object.keys(daysOld).map(async (key) => ((await bucketAt(after).head(key)) === undefined ? [] : key)),
  )
  await after.stop()
  rmSync(filesDir, { recursive: true })

  expect(found.flat()).toEqual(['uploads/ws_1/doc_1', 'received/1', 'files/ws_1/doc_2/digest'])
})

test('what was sent of a mail goes with the message that the service has stored of it', async () => {
  const [filesDir, mailDir] = ['aktenlage-', 'mails-'].map((name) => mkdtempSync(join(tmpdir(), name)))
  const thread = await startThread({
    name: 'S3',
    module: new URL('../../infra/local/emulators/s3.ts', import.meta.url),
    workerData: { filesDir, mailDir, bucket: Bucket, credentials },
  })
  const bucket = s3Files(Bucket, clientWith(credentials.secretAccessKey, thread.endpoint))
  const sent = mailFolder(mailDir ?? '')
  const names: string[] = []
  for (const [at, correspondence] of ['corr_1', 'corr_2', 'corr_1'].entries()) {
    const tags = { workspace: 'ws_1', correspondence }
    const message_id = `0100019aaaaaaaa${at}-00000000-0000-0000-0000-000000000000-000000`
    const envelope = { message_id, accepted_at: `2026-05-04T12:00:0${at}.123Z`, tags } as unknown
    names.push(await sent.add(envelope as MailEnvelope, Buffer.from('the message')))
  }
  await bucket.put('mails/ws_1/corr_1/message.eml', Buffer.from('the bytes'), text)
  await bucket.put('mails/ws_1/corr_1/body.json', Buffer.from('the bytes'), text)

  await bucket.remove(['mails/ws_1/corr_1/body.json', 'mails/ws_2/corr_1/message.eml'])
  const before = await sent.names()
  await bucket.remove(['mails/ws_1/corr_1/message.eml'])
  const after = await sent.names()
  const files = readdirSync(mailDir ?? '')
  await thread.stop()
  for (const one of [filesDir, mailDir]) rmSync(one ?? '', { recursive: true })

  expect(before).toEqual(names.toReversed())
  expect([after, files.toSorted()]).toEqual([[names[1]], [`${names[1]}.eml`, `${names[1]}.json`]])
})

describe('what the service does with its bucket', () => {
  test('is served: store, read, look, copy and remove', async () => {
    const { etag } = (await files.head('ws_1/file')) ?? {}
    await files.copy('ws_1/file', 'ws_1/copied', { mimeType: 'text/plain', etag: etag ?? '' })
    const read = await files.read('ws_1/copied', { first: 4, last: 8 })
    const firstByte = await files.read('ws_1/copied', { first: 0, last: 0 })
    await files.remove(['ws_1/copied', 'ws_1/never'])

    expect(new TextDecoder().decode(read)).toBe('bytes')
    expect(new TextDecoder().decode(firstByte)).toBe('t')
    expect(await files.head('ws_1/copied')).toBeUndefined()
    expect(await files.head('ws_1/file')).toMatchObject({ sizeBytes: 9 })
  })

  test('includes keys with umlauts, spaces and signs', async () => {
    const key = "ws_1/Anlage K 1 (Müller & Söhne)+'100%'.pdf"

    await files.put(key, Buffer.from('the bytes'), text)
    const read = await files.read(key)

    expect(new TextDecoder().decode(read)).toBe('the bytes')
  })
})

describe('an object', () => {
  test('is kept while others of its folder are removed', async () => {
    for (let round = 0; round < 40; round += 1) {
      const folderOf = (name: string) => `races/${round}/${name}`
      await Promise.all(
        ['one', 'two'].map((name) => files.put(folderOf(name), Buffer.from('the bytes'), text)),
      )

      const kept = ['three', 'four', 'five'].map(folderOf)
      await Promise.all([
        files.remove([folderOf('one'), folderOf('two')]),
        ...kept.map((key) => files.put(key, Buffer.from('the bytes'), text)),
      ])

      for (const key of kept) expect(new TextDecoder().decode(await files.read(key))).toBe('the bytes')
    }
  })

  test('is not copied once it is another one', async () => {
    const { etag } = (await files.head('ws_1/file')) ?? {}
    await files.put('ws_1/file', Buffer.from('other bytes'), { ...text, sha256: digest('other bytes') })
    const copying = files.copy('ws_1/file', 'ws_1/late', { mimeType: 'text/plain', etag: etag ?? '' })

    await expect(copying).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await files.head('ws_1/late')).toBeUndefined()
  })

  test('leaves no folder behind when it is the last one removed', async () => {
    const keys = ['left/here/one', 'left/here/two', 'left/three']
    await Promise.all(keys.map((key) => files.put(key, Buffer.from('the bytes'), text)))

    await Promise.all(keys.map((key) => files.remove([key])))

    expect(existsSync(join(folder, 's3', Bucket, 'left'))).toBe(false)
  })
})

describe('an object that comes as a stream', () => {
  const signal = new AbortController().signal
  const about = { mimeType: 'text/csv', signal }
  const chunk = Buffer.alloc(1_000_000, 'row;')
  async function* chunks(count: number, fault?: Error) {
    for (let at = 0; at < count; at += 1) yield chunk
    if (fault) throw fault
  }
  const uploads = () => {
    const path = join(folder, 's3', Bucket, '._S3rver_uploads')
    return existsSync(path) ? readdirSync(path) : []
  }

  test.each([0, 1, 8, 9, 20])('of %i chunks is stored as it came', async (count) => {
    const size = await files.putStream(`exports/${count}`, chunks(count), about)

    const stored = await files.read(`exports/${count}`)
    expect(size).toBe(count * chunk.length)
    expect(Buffer.compare(stored, Buffer.concat(Array.from({ length: count }, () => chunk)))).toBe(0)
    expect(uploads()).toEqual([])
  })

  test('keeps its type', async () => {
    await files.putStream('exports/typed', chunks(9), about)

    const { ContentType } = await client.send(new HeadObjectCommand({ Bucket, Key: 'exports/typed' }))
    expect(ContentType).toBe('text/csv')
  })

  test('that breaks off stores nothing, and what was there stays', async () => {
    await files.putStream('exports/kept', chunks(1), about)
    const broken = files.putStream('exports/kept', chunks(20, new Error('The table is gone.')), about)

    await expect(broken).rejects.toThrow('The table is gone.')
    expect(await files.head('exports/kept')).toMatchObject({ sizeBytes: chunk.length })
    expect(uploads()).toEqual([])
  })

  test('ends when its signal aborts, and the source is told', async () => {
    const abort = new AbortController()
    let isClosed = false
    async function* endless() {
      try {
        for (let at = 0; ; at += 1) {
          if (at === 12) abort.abort()
          yield chunk
        }
      } finally {
        isClosed = true
      }
    }

    const stopped = files.putStream('exports/late', endless(), { ...about, signal: abort.signal })

    await expect(stopped).rejects.toThrow()
    expect([isClosed, await files.head('exports/late'), uploads()]).toEqual([true, undefined, []])
  })
})

describe('an upload URL', () => {
  const presign = (changes = {}) =>
    files.presignPut('ws_1/upload', {
      mimeType: 'text/plain',
      sizeBytes: 9,
      expiresInSeconds: 60,
      ...changes,
    })
  const headers = { 'Content-Type': 'text/plain' }

  test('takes what was announced', async () => {
    const answer = await fetch(await presign(), { method: 'PUT', headers, body: 'the bytes' })

    expect(answer.status).toBe(200)
    expect(new TextDecoder().decode(await files.read('ws_1/upload'))).toBe('the bytes')
  })

  test('may be asked for by a page of any origin', async () => {
    const answer = await fetch(await presign(), {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'content-type',
      },
    })

    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-headers')).toContain('content-type')
  })

  test.each<[string, (url: string) => [string, RequestInit]]>([
    ['another type', (url) => [url, { method: 'PUT', headers: { 'Content-Type': 'text/html' } }]],
    ['another method', (url) => [url, { method: 'DELETE', headers }]],
    ['reading', (url) => [url, { headers }]],
    ['another key', (url) => [url.replace('/upload?', '/file?'), { method: 'PUT', headers }]],
    ['an announced length in its query', (url) => [`${url}&x-size-bytes=11`, { method: 'PUT', headers }]],
    ['a longer time', (url) => [url.replace('Expires=60', 'Expires=600'), { method: 'PUT', headers }]],
    ['a further parameter', (url) => [`${url}&tagging`, { method: 'PUT', headers }]],
    ['a parameter twice', (url) => [`${url}&X-Amz-Expires=60`, { method: 'PUT', headers }]],
    [
      'an unsigned header',
      (url) => [url, { method: 'PUT', headers: { ...headers, 'x-amz-acl': 'public-read' } }],
    ],
    [
      'a copy of another file',
      (url) => [url, { method: 'PUT', headers: { ...headers, 'x-amz-copy-source': `${Bucket}/ws_1/file` } }],
    ],
    [
      'a copy by a parameter',
      (url) => [`${url}&x-amz-copy-source=${Bucket}%2Fws_1%2Ffile`, { method: 'PUT', headers }],
    ],
    [
      'a signature of zeros',
      (url) => [url.replace(/Signature=\w+/, `Signature=${'0'.repeat(64)}`), { method: 'PUT', headers }],
    ],
    ['a cut signature', (url) => [url.replace(/(Signature=\w{63})\w/, '$1'), { method: 'PUT', headers }]],
    ['no signature', (url) => [url.split('?')[0] ?? '', { method: 'PUT', headers }]],
    [
      'an authorization besides',
      (url) => [url, { method: 'PUT', headers: { ...headers, Authorization: 'AWS4' } }],
    ],
  ])('is good for nothing else: %s', async (_name, change) => {
    const [url, init] = change(await presign())

    const answer = await fetch(url, { ...init, ...(init.method === 'PUT' && { body: 'other bytes' }) })

    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(await answer.text()).not.toContain('the bytes')
    expect(new TextDecoder().decode(await files.read('ws_1/file'))).toBe('the bytes')
  })

  test.each([
    ['fewer', 'the byte'],
    ['more', 'the bytes and others'],
    ['no', ''],
    ['as many characters but more', 'die Bytön'],
  ])('takes no upload of %s bytes than it was signed for', async (_name, body) => {
    await files.remove(['ws_1/upload'])

    const answer = await fetch(await presign(), { method: 'PUT', headers, body })

    expect([answer.status, await answer.text()]).toEqual([
      403,
      expect.stringContaining('<Code>SignatureDoesNotMatch</Code>'),
    ])
    expect(await files.head('ws_1/upload')).toBeUndefined()
  })

  test('takes no upload without a length', async () => {
    await files.remove(['ws_1/upload'])
    const body = new Blob(['the bytes']).stream()

    const answer = await fetch(await presign(), { method: 'PUT', headers, body, duplex: 'half' })

    expect(answer.status).toBe(403)
    expect(await files.head('ws_1/upload')).toBeUndefined()
  })

  test('ends with its time', async () => {
    const url = await presign({ expiresInSeconds: 1 })
    await setTimeout(1_100)

    const answer = await fetch(url, { method: 'PUT', headers, body: 'the bytes' })

    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('expired')
  })
})

describe('a download URL', () => {
  const presign = (changes = {}) =>
    files.presignGet('ws_1/file', {
      mimeType: 'application/zip',
      contentDisposition: 'attachment; filename="Auskunft.zip"',
      expiresInSeconds: 60,
      isHead: false,
      ...changes,
    })

  test.each([
    ['GET', false, 'the bytes'],
    ['HEAD', true, ''],
  ])('answers %s without credentials, with the headers that were signed', async (method, isHead, body) => {
    const answer = await fetch(await presign({ isHead }), { method })

    expect([answer.status, await answer.text()]).toEqual([200, body])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="Auskunft.zip"',
      'content-length': '9',
      'cache-control': 'no-store',
    })
  })

  test('sends the rest of a download that broke off', async () => {
    const answer = await fetch(await presign(), { headers: { Range: 'bytes=4-' } })

    expect([answer.status, await answer.text()]).toEqual([206, 'bytes'])
  })

  test.each<[string, (url: string) => [string, RequestInit]]>([
    ['another key', (url) => [url.replace('/file?', '/other?'), {}]],
    ['another file name', (url) => [url.replace('Auskunft', 'Rechnung'), {}]],
    ['another type', (url) => [url.replace('application%2Fzip', 'text%2Fhtml'), {}]],
    ['no file name', (url) => [url.replace(/&response-content-disposition=[^&]*/, ''), {}]],
    ['a longer time', (url) => [url.replace('Expires=60', 'Expires=600'), {}]],
    ['its headers', (url) => [url, { method: 'HEAD' }]],
    ['writing', (url) => [url, { method: 'PUT', body: 'other bytes' }]],
    ['deleting', (url) => [url, { method: 'DELETE' }]],
  ])('is good for nothing else: %s', async (_name, change) => {
    await files.put('ws_1/other', Buffer.from('the bytes of another'), {
      ...text,
      sha256: digest('the bytes of another'),
    })
    const original = await presign()
    const [url, init] = change(original)

    const answer = await fetch(url, init)

    expect([url, init]).not.toEqual([original, {}])
    expect([answer.status, await answer.text()]).toEqual([403, expect.not.stringContaining('the bytes')])
    expect(new TextDecoder().decode(await files.read('ws_1/file'))).toBe('the bytes')
  })

  test('ends with its time', async () => {
    const url = await presign({ expiresInSeconds: 1 })
    await setTimeout(1_100)

    const answer = await fetch(url)

    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('expired')])
  })
})

describe('a caller without the secret of the run', () => {
  test.each<[string, RequestInit]>([
    ['/', {}],
    [`/${Bucket}`, {}],
    [`/${Bucket}/`, {}],
    [`/${Bucket}?list-type=2`, {}],
    [`/${Bucket}/ws_1/file`, {}],
    [`/${Bucket}/ws_1/file`, { method: 'HEAD' }],
    [`/${Bucket}/ws_1/file`, { method: 'DELETE' }],
    [`/${Bucket}/ws_1/file`, { method: 'PUT', body: 'x' }],
    [`/${Bucket}`, { method: 'DELETE' }],
    [`/${Bucket}?delete`, { method: 'POST', body: '<Delete><Object><Key>ws_1/file</Key></Object></Delete>' }],
    [`/${Bucket}`, { method: 'POST', body: form({ key: 'ws_1/file', file: 'x' }) }],
    [`/${Bucket}?cors`, {}],
    ['/other', { method: 'PUT' }],
    [`/${Bucket}/ws_1/file`, { headers: { Authorization: 'AWS local:AAAA' } }],
    [`/${Bucket}/ws_1/file?AWSAccessKeyId=local&Expires=9999999999&Signature=AAAA`, {}],
    [`/${Bucket}/ws_1/file?X-Amz-Signature=`, {}],
    [`/${Bucket}/ws_1/file`, { method: 'PATCH' }],
  ])('%s %o is refused', async (path, init) => {
    const answer = await fetch(s3.endpoint + path, init)

    expect([403, 405, 400]).toContain(answer.status)
    expect(await answer.text()).not.toMatch(/the bytes|ws_1/)
    expect(new TextDecoder().decode(await files.read('ws_1/file'))).toBe('the bytes')
  })

  test('cannot sign with a guessed one', async () => {
    for (const secret of ['local', 'any', '', 'S3RVER']) {
      const stranger = clientWith(secret || ' ')

      await expect(stranger.send(new GetObjectCommand({ Bucket, Key: 'ws_1/file' }))).rejects.toMatchObject({
        name: 'SignatureDoesNotMatch',
      })
    }
  })
})

describe('a request that is signed', () => {
  test.each([
    ['list the buckets', () => client.send(new ListBucketsCommand({}))],
    ['list the objects', () => client.send(new ListObjectsV2Command({ Bucket }))],
    ['look at the bucket', () => client.send(new HeadBucketCommand({ Bucket }))],
    ['remove the bucket', () => client.send(new DeleteBucketCommand({ Bucket }))],
    ['make a bucket', () => client.send(new CreateBucketCommand({ Bucket: 'another' }))],
    ['read the settings', () => client.send(new GetBucketCorsCommand({ Bucket }))],
    [
      'change the settings',
      () =>
        client.send(
          new PutBucketCorsCommand({
            Bucket,
            CORSConfiguration: { CORSRules: [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }] },
          }),
        ),
    ],
    ['read the rights', () => client.send(new GetObjectAclCommand({ Bucket, Key: 'ws_1/file' }))],
    ['list the uploads', () => client.send(new ListMultipartUploadsCommand({ Bucket }))],
    [
      'add a part to an upload outside',
      () =>
        client.send(
          new UploadPartCommand({ Bucket, Key: 'ws_1/x', UploadId: '../../x', PartNumber: 1, Body: 'x' }),
        ),
    ],
    [
      'remove what is no upload',
      () => client.send(new AbortMultipartUploadCommand({ Bucket, Key: 'ws_1/x', UploadId: '..' })),
    ],
    [
      'copy from another bucket',
      () => client.send(new CopyObjectCommand({ Bucket, Key: 'ws_1/x', CopySource: 'another/ws_1/file' })),
    ],
    [
      'copy from above the bucket',
      () =>
        client.send(
          new CopyObjectCommand({ Bucket, Key: 'ws_1/x', CopySource: `${Bucket}/../../secrets.key` }),
        ),
    ],
    [
      'copy from above the bucket, encoded',
      () =>
        client.send(
          new CopyObjectCommand({ Bucket, Key: 'ws_1/x', CopySource: `${Bucket}/..%2f..%2fsecrets.key` }),
        ),
    ],
    ['read from above', () => client.send(new GetObjectCommand({ Bucket, Key: '../../secrets.key' }))],
    ['write above', () => client.send(new PutObjectCommand({ Bucket, Key: '../planted', Body: 'x' }))],
    [
      "read the emulator's own files",
      () => client.send(new GetObjectCommand({ Bucket, Key: 'ws_1/file._S3rver_object.md5' })),
    ],
    [
      'remove from above',
      async () => {
        const keys = ['../victim', '../../victim', 'ws_1/../../victim']
        await client.send(
          new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }),
        )
        throw new Error('Nothing may be said to be removed.')
      },
    ],
  ])('may still not %s', async (_name, act) => {
    const victim = join(folder, 'victim')
    mkdirSync(victim, { recursive: true })
    writeFileSync(join(victim, '._S3rver_object'), 'not yours')
    writeFileSync(join(folder, 'victim._S3rver_object'), 'not yours')

    await expect(act()).rejects.toThrow()

    expect(existsSync(join(victim, '._S3rver_object'))).toBe(true)
    expect(existsSync(join(folder, 'victim._S3rver_object'))).toBe(true)
    expect(readdirSync(folder).toSorted()).toEqual(['s3', 'victim', 'victim._S3rver_object'])
    expect(await files.head('ws_1/file')).toBeDefined()
  })

  test('must be for the bytes that arrive, and replaces a file by whole ones only', async () => {
    const lying = files.put('ws_1/file', Buffer.from('other bytes'), { ...text, sha256: digest('the bytes') })
    await expect(lying).rejects.toThrow()

    const url = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'ws_1/file' }), {
      expiresIn: 60,
    })
    const { hostname, port, pathname, search, host } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000\r\n\r\nhalf`)
    await setTimeout(100)
    socket.destroy()
    await vi.waitFor(() => expect(readdirSync(join(folder, 's3', '.incoming'))).toEqual([]), {
      timeout: 60_000,
    })

    expect(new TextDecoder().decode(await files.read('ws_1/file'))).toBe('the bytes')
  })
})

test.each([
  `/${Bucket}/..%2f..%2fvictim`,
  `/${Bucket}/../../victim`,
  `/..%2f..%2fvictim`,
  `/../victim`,
  `/${Bucket}/%2e%2e/%2e%2e/victim`,
  `/${Bucket}%2f..%2f..%2fvictim/x`,
  `/${Bucket}/ws_1\\..\\..\\victim`,
  `/${Bucket}/ws_1//file`,
  `//${Bucket}/ws_1/file`,
  `/${Bucket}/ws_1/fi%00le`,
  `/${Bucket}/%ff`,
  `http://127.0.0.1/${Bucket}/ws_1/file`,
  '*',
])('the path %s reaches nothing, whatever the method', async (path) => {
  const { hostname, port } = new URL(s3.endpoint)
  const victim = join(folder, 'victim')
  mkdirSync(victim, { recursive: true })

  for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS', 'POST']) {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nOrigin: https://a\r\nAccess-Control-Request-Method: PUT\r\nConnection: close\r\n\r\n`,
    )
    await once(socket, 'close')
    expect(answer).toMatch(/^HTTP\/1.1 4\d\d /)
  }
  expect(existsSync(victim)).toBe(true)
})

function clientWith(secretAccessKey: string, endpoint = s3.endpoint): S3Client {
  return new S3Client({
    endpoint,
    forcePathStyle: true,
    region: 'eu-central-1',
    credentials: { ...credentials, secretAccessKey },
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

function form(fields: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}
