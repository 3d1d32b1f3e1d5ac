import {
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { deleteObjects } from './delete-objects.ts'
import { createClient } from './s3-files.ts'

/** The current version of an object. */
export type FirmObject = { key: string; sizeBytes: number; modifiedAt: Date }

/**
 * The prefixes of all keys that belong to a firm. The id of the firm follows the prefix. The bucket also contains mails
 * that SES received (`received/`). They belong to no firm.
 */
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
 * The objects of firms in the bucket, for the commands of operators (W8) and for functions that erase objects. Only
 * they have the right to list objects.
 *
 * @param options.keepsVersions whether the bucket keeps versions, as the bucket of a stage does and the local one does
 *   not
 */
export function firmObjects(
  bucket: string,
  { client = createClient(), keepsVersions }: { client?: S3Client; keepsVersions: boolean },
) {
  async function* current(prefix: string): AsyncGenerator<FirmObject[]> {
    for (let token: string | undefined; ; ) {
      const { Contents = [], NextContinuationToken } = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }),
      )
      yield Contents.map(({ Key = '', Size = 0, LastModified = new Date(0) }) => ({
        key: Key,
        sizeBytes: Size,
        modifiedAt: LastModified,
      }))
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

  /** Every version of every object, and the delete markers. */
  async function* versions(prefix: string): AsyncGenerator<Deletable[]> {
    for await (const page of versionPages(prefix))
      yield deletions([...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
  }

  /** Every version except the latest one of each object. */
  async function* olderVersions(prefix: string): AsyncGenerator<Deletable[]> {
    for await (const page of versionPages(prefix))
      yield deletions((page.Versions ?? []).filter(({ IsLatest }) => IsLatest !== true))
  }

  /** Everything that must be deleted so that no object and no version remains. */
  async function* everything(prefix: string): AsyncGenerator<Deletable[]> {
    if (keepsVersions) yield* versions(prefix)
    else for await (const objects of current(prefix)) yield objects.map(({ key }) => ({ Key: key }))
  }

  const erasePages = async (pages: AsyncIterable<Deletable[]>, choose?: ChooseKeys): Promise<number> => {
    let removed = 0
    for await (const listed of pages) {
      const found = choose && listed.length > 0 ? await chosen(listed, choose) : listed
      if (found.length === 0) continue
      await deleteObjects(client, bucket, found)
      removed += found.length
    }
    return removed
  }

  const eraseUnder = (prefix: string, choose?: ChooseKeys): Promise<number> =>
    erasePages(everything(prefix), choose)

  return {
    /**
     * Removes every version of the objects under a prefix, and the delete markers.
     *
     * @param choose chooses the objects to remove; without it all are removed
     * @returns the number of removed objects and versions
     * @throws NotDeleted if S3 refuses to delete one
     */
    eraseUnder,

    /** Removes the older versions of the objects under a prefix. @throws NotDeleted if S3 refuses to delete one */
    eraseOlder: async (prefix: string): Promise<void> => {
      if (keepsVersions) await erasePages(olderVersions(prefix))
    },

    /** The objects under a prefix, page by page. */
    under: current,

    /** The objects of the firm. */
    async *all(workspaceId: string): AsyncGenerator<FirmObject> {
      for (const prefix of firmPrefixes)
        for await (const objects of current(`${prefix}/${workspaceId}/`)) yield* objects
    },

    /**
     * Removes every version of every object of the firm, and the delete markers.
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

/** Called for each page of keys. Returns a function that says whether to remove the object with a key. */
type ChooseKeys = () => Promise<(key: string) => boolean>

async function chosen(listed: Deletable[], choose: ChooseKeys): Promise<Deletable[]> {
  const isChosen = await choose()
  return listed.filter(({ Key }) => isChosen(Key))
}

function deletions(versions: { Key?: string | undefined; VersionId?: string | undefined }[]): Deletable[] {
  return versions.map(({ Key = '', VersionId }) => ({ Key, ...(VersionId !== undefined && { VersionId }) }))
}
