import { globSync, readFileSync } from 'node:fs'
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3'
import { mockClient } from 'aws-sdk-client-mock'
import { expect, it, onTestFinished } from 'vitest'
import { firmObjects, firmPrefixes } from '#files/firm-objects.ts'

const workspace = 'ws_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'

/** A bucket with versions, which lists two pages under each prefix. */
function versionedBucket() {
  const s3 = mockClient(S3Client)
  onTestFinished(() => s3.restore())
  s3.on(ListObjectVersionsCommand).resolves({})
  for (const prefix of firmPrefixes) {
    const Prefix = `${prefix}/${workspace}/`
    s3.on(ListObjectVersionsCommand, { Prefix }).resolves({
      Versions: [{ Key: `${Prefix}a`, VersionId: '1' }],
      DeleteMarkers: [{ Key: `${Prefix}a`, VersionId: '2' }],
      IsTruncated: true,
      NextKeyMarker: `${Prefix}a`,
      NextVersionIdMarker: '1',
    })
    s3.on(ListObjectVersionsCommand, { Prefix, KeyMarker: `${Prefix}a`, VersionIdMarker: '1' }).resolves({
      Versions: [{ Key: `${Prefix}b`, VersionId: '3' }],
    })
  }
  return s3
}

it('in a bucket with versions, every version and every delete marker is removed, page by page', async () => {
  const s3 = versionedBucket()
  s3.on(DeleteObjectsCommand).resolves({})

  const removed = await firmObjects('bucket', { client: new S3Client(), keepsVersions: true }).erase(
    workspace,
  )

  const deleted = s3
    .commandCalls(DeleteObjectsCommand)
    .flatMap(({ args }) => args[0].input.Delete?.Objects ?? [])
  expect(deleted.map(({ Key, VersionId }) => `${Key} ${VersionId}`)).toEqual(
    firmPrefixes.flatMap((prefix) =>
      ['a 1', 'a 2', 'b 3'].map((version) => `${prefix}/${workspace}/${version}`),
    ),
  )
  expect(removed).toBe(3 * firmPrefixes.length)
})

it('the erasure fails if S3 does not delete a version', async () => {
  const s3 = versionedBucket()
  s3.on(DeleteObjectsCommand).resolves({ Errors: [{ Key: 'a', Code: 'AccessDenied', Message: 'no' }] })
  const objects = firmObjects('bucket', { client: new S3Client(), keepsVersions: true })

  await expect(objects.erase(workspace)).rejects.toThrow('AccessDenied')
})

it('each key in the code that has a workspace begins with a known prefix, and each prefix is used', () => {
  const sources = globSync('{packages,functions}/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const written = sources.flatMap((source) =>
    [...source.matchAll(/`(\w+)\/\$\{(?:\w+\.)?workspace_?[iI]d\}\//g)].map(([, prefix]) => prefix),
  )

  expect([...new Set(written)].toSorted()).toEqual(firmPrefixes.toSorted())
})
