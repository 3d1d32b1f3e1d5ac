import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3'
import { mockClient } from 'aws-sdk-client-mock'
import { expect, it } from 'vitest'
import { firmObjects } from '#files/firm-objects.ts'

const workspace = 'ws_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'

/** A bucket with versions: two pages of one prefix, nothing under the others. */
function versionedBucket() {
  const s3 = mockClient(S3Client)
  const Prefix = `files/${workspace}/`
  s3.on(ListObjectVersionsCommand).resolves({})
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
  return s3
}

it('of a bucket with versions every version and every mark of deletion is removed, page by page', async () => {
  const s3 = versionedBucket()
  s3.on(DeleteObjectsCommand).resolves({})
  let removed = 0

  await firmObjects('bucket', { client: new S3Client(), keepsVersions: true }).erase(workspace, (count) => {
    removed += count
  })

  const deleted = s3
    .commandCalls(DeleteObjectsCommand)
    .flatMap(({ args }) => args[0].input.Delete?.Objects ?? [])
  expect(deleted.map(({ VersionId }) => VersionId)).toEqual(['1', '2', '3'])
  expect(removed).toBe(3)
})

it('a version that S3 does not delete ends the erasure with an error', async () => {
  const s3 = versionedBucket()
  s3.on(DeleteObjectsCommand).resolves({ Errors: [{ Key: 'a', Code: 'AccessDenied', Message: 'no' }] })
  const objects = firmObjects('bucket', { client: new S3Client(), keepsVersions: true })

  await expect(objects.erase(workspace, () => {})).rejects.toThrow('AccessDenied')
})
