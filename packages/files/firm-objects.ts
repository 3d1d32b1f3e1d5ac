import {
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { deleteObjects } from './delete-objects.ts'
import { createClient } from './s3-files.ts'

/** An object as it is now. */
export type FirmObject = { key: string; sizeBytes: number }

/** The key prefixes of all objects of a firm in the bucket. */
export const firmPrefixes = [
  'files',
  'texts',
  'uploads',
  'mails',
  'signatures',
  'exports',
  'reports',
  'bea',
  'search',
]

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

  async function* versionPages(prefix: string): AsyncGenerator<ListObjectVersionsCommandOutput> {
    let after: { KeyMarker?: string; VersionIdMarker?: string } = {}
    for (;;) {
      const page = await client.send(
        new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, ...after }),
      )
      yield page
      if (page.IsTruncated !== true) return
      after = {
        ...(page.NextKeyMarker !== undefined && { KeyMarker: page.NextKeyMarker }),
        ...(page.NextVersionIdMarker !== undefined && { VersionIdMarker: page.NextVersionIdMarker }),
      }
    }
  }

  /** Every version of every object, and the marks of deletion. */
  async function* versions(prefix: string): AsyncGenerator<Deletable[]> {
    for await (const page of versionPages(prefix))
      yield deletions([...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
  }

  /** Every version that is not the present one of its object. */
  async function* olderVersions(prefix: string): AsyncGenerator<Deletable[]> {
    for await (const page of versionPages(prefix))
      yield deletions((page.Versions ?? []).filter(({ IsLatest }) => IsLatest !== true))
  }

  /** The objects or versions to delete. */
  async function* deletable(prefix: string): AsyncGenerator<Deletable[]> {
    if (keepsVersions) yield* versions(prefix)
    else for await (const objects of present(prefix)) yield objects.map(({ key }) => ({ Key: key }))
  }

  const erase = async (all: AsyncIterable<Deletable[]>, choose?: ChooseKeys): Promise<number> => {
    let removed = 0
    for await (const listed of all) {
      const found = choose && listed.length > 0 ? await chosen(listed, choose) : listed
      if (found.length === 0) continue
      await deleteObjects(client, bucket, found)
      removed += found.length
    }
    return removed
  }

  /** Removes every version of what these keys begin with. @returns how many */
  const eraseUnder = (prefix: string, choose?: ChooseKeys): Promise<number> =>
    erase(deletable(prefix), choose)

  return {
    /**
     * Removes every version of the objects whose keys begin so, and the marks of deletion.
     *
     * @param choose which of them go. It is asked after each page of keys that was listed; all go if it is omitted
     * @returns the number of removed objects and versions
     * @throws NotDeleted if S3 refuses to delete one
     */
    eraseUnder,

    /** Removes the earlier versions of the objects whose keys begin so. @throws NotDeleted if S3 refuses to delete one */
    eraseOlder: async (prefix: string): Promise<void> => {
      if (keepsVersions) await erase(olderVersions(prefix))
    },

    /** The objects whose keys begin so. */
    under: present,

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
      for (const prefix of firmPrefixes) removed += await eraseUnder(`${prefix}/${workspaceId}/`)
      return removed
    },
  }
}

type Deletable = { Key: string; VersionId?: string }

/** @returns whether the object with a key goes */
type ChooseKeys = () => Promise<(key: string) => boolean>

async function chosen(listed: Deletable[], choose: ChooseKeys): Promise<Deletable[]> {
  const goes = await choose()
  return listed.filter(({ Key }) => goes(Key))
}

function deletions(versions: { Key?: string | undefined; VersionId?: string | undefined }[]): Deletable[] {
  return versions.map(({ Key = '', VersionId }) => ({ Key, ...(VersionId !== undefined && { VersionId }) }))
}
