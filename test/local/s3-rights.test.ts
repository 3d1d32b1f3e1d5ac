import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { Context } from 'aws-lambda'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { BucketRights } from '#infra/local/emulators/s3-rights.ts'
import { type ServiceThread, startThread } from '#infra/local/emulators/thread.ts'
import { invoke } from '#infra/local/invoke.ts'
import { createIsolation } from '#infra/local/isolate.ts'
import { localFunction } from '#test/support/local-function.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'the secret of this run' }
const Bucket = 'aktenlage-local'
const workspace = 'ws_01993f5e-0000-7000-8000-000000000000'
const Key = `files/${workspace}/file`
const actions = ['read', 'write', 'parts', 'delete', 'erase'] as const
/** `all` may do everything with files, and each of the others everything but one thing. The right to erase includes deletions. */
const rights: BucketRights = {
  all: { files: actions },
  other: { mails: actions },
  ...Object.fromEntries(
    actions.map((action) => [
      `not ${action}`,
      { files: actions.filter((one) => one !== action && !(action === 'delete' && one === 'erase')) },
    ]),
  ),
}
let folder: string
let s3: ServiceThread
let client: S3Client

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aktenlage-'))
  s3 = await startThread({
    name: 'S3',
    module: new URL('../../infra/local/emulators/s3.ts', import.meta.url),
    workerData: { filesDir: folder, bucket: Bucket, rights, credentials },
  })
  process.env.AWS_ENDPOINT_URL_S3 = s3.endpoint
  client = new S3Client({ endpoint: s3.endpoint, region: 'eu-central-1', credentials, forcePathStyle: true })
})
beforeEach(() => client.send(new PutObjectCommand({ Bucket, Key, Body: 'the bytes' })))
afterAll(async () => {
  client.destroy()
  await s3.stop()
  rmSync(folder, { recursive: true })
})

/** Does this as the function of this name. */
const as = (name: string, work: () => Promise<unknown>) =>
  invoke(localFunction([], work, { name }), {}, 'request')

const read = () => client.send(new GetObjectCommand({ Bucket, Key }))
const copy = () =>
  client.send(
    new CopyObjectCommand({
      Bucket,
      Key: `files/${workspace}/copy`,
      CopySource: `${Bucket}/${Key}`,
      MetadataDirective: 'REPLACE',
    }),
  )
const begin = () => client.send(new CreateMultipartUploadCommand({ Bucket, Key }))

test.each([
  ['read an object', 'read', read],
  ['look at an object', 'read', () => client.send(new HeadObjectCommand({ Bucket, Key }))],
  ['store an object', 'write', () => client.send(new PutObjectCommand({ Bucket, Key, Body: 'more' }))],
  ['copy an object that it may not read', 'read', copy],
  ['copy an object to where it may not write', 'write', copy],
  ['begin an object in parts without writing', 'write', begin],
  ['begin an object in parts', 'parts', begin],
  [
    'abort an object in parts',
    'parts',
    async () => {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    },
  ],
  [
    'remove objects',
    'delete',
    () => client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } })),
  ],
  [
    'list objects',
    'erase',
    () => client.send(new ListObjectsV2Command({ Bucket, Prefix: `files/${workspace}/` })),
  ],
] as const)('a function without the right cannot %s', async (_, action, work) => {
  await as('all', work)
  await work()

  for (const name of [`not ${action}`, 'other', 'unknown'])
    await expect(as(name, work), name).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
})

test('the refusal names function, action and prefix', async () => {
  await expect(as('not read', read)).rejects.toMatchObject({
    name: 'AccessDenied',
    message: 'The function not read lacks the right "read" to files/*: its needs.bucket does not name it.',
  })
})

test('a function that reads a missing object gets 403, since it may not list the bucket', async () => {
  const missing = () => client.send(new GetObjectCommand({ Bucket, Key: `${Key}-never` }))

  await expect(as('all', missing)).rejects.toMatchObject({ name: 'AccessDenied' })
  await expect(missing()).rejects.toMatchObject({ name: 'NoSuchKey' })
})

test('a function in a thread names itself, too', async () => {
  const handler = createIsolation({ memoryMegabytes: 64 }).isolate(
    new URL('../support/greedy-function.ts', import.meta.url),
    { name: 'seal', timeoutSeconds: 60 },
  )

  expect(await handler({ does: 'name itself' }, { awsRequestId: 'test' } as Context)).toBe('seal')
})
