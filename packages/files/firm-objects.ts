import { ListObjectsV2Command, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3'
import { deleteObjects } from './delete-objects.ts'
import { createClient } from './s3-files.ts'

/** An object as it is now. */
export type FirmObject = { key: string; sizeBytes: number }

/** The key prefixes of all objects of a firm in the bucket. */
export const firmPrefixes = ['files', 'texts', 'uploads', 'mails', 'signatures', 'exports', 'bea']

/**
 * All objects of one firm in the bucket, for the commands of the operator (W8). No function of the service may list
 * objects.
 *
 * @param options.keepsVersions whether the bucket keeps versions: the bucket of a stage does, the local one does not
 */
export function firmObjects(
  bucket: string,
  { client = createClient(), keepsVersions }: { client?: S3Client; keepsVersions: boolean },
) {
  async function* present(prefix: string): AsyncGenerator<FirmObject[]> {
    for (let token: string | undefined; ; ) {
      const { Contents = [], NextContinuationToken } = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }),
      )
      yield Contents.map(({ Key = '', Size = 0 }) => ({ key: Key, sizeBytes: Size }))
      if (NextContinuationToken === undefined) return
      token = NextContinuationToken
    }
  }

  /** Every version of every object, and the marks of deletion. */
  async function* versions(prefix: string): AsyncGenerator<{ Key: string; VersionId?: string }[]> {
    let after: { KeyMarker?: string; VersionIdMarker?: string } = {}
    for (;;) {
      const page = await client.send(
        new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...after }),
      )
      yield [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(({ Key = '', VersionId }) => ({
        Key,
        ...(VersionId !== undefined && { VersionId }),
      }))
      if (page.IsTruncated !== true) return
      after = {
        ...(page.NextKeyMarker !== undefined && { KeyMarker: page.NextKeyMarker }),
        ...(page.NextVersionIdMarker !== undefined && { VersionIdMarker: page.NextVersionIdMarker }),
      }
    }
  }

  /** The objects or versions to delete. */
  async function* deletable(prefix: string): AsyncGenerator<{ Key: string; VersionId?: string }[]> {
    if (keepsVersions) yield* versions(prefix)
    else for await (const objects of present(prefix)) yield objects.map(({ key }) => ({ Key: key }))
  }

  return {
    /** The objects of the firm. */
    async *all(workspaceId: string): AsyncGenerator<FirmObject> {
      for (const prefix of firmPrefixes)
        for await (const objects of present(`${prefix}/${workspaceId}/`)) yield* objects
    },

    /**
     * Removes every version of every object of the firm, and the marks of deletion.
     *
     * @returns the number of removed objects and versions
     * @throws NotDeleted if S3 refuses to delete one
     */
    async erase(workspaceId: string): Promise<number> {
      let removed = 0
      for (const prefix of firmPrefixes)
        for await (const found of deletable(`${prefix}/${workspaceId}/`)) {
          if (found.length === 0) continue
          await deleteObjects(client, bucket, found)
          removed += found.length
        }
      return removed
    },
  }
}
