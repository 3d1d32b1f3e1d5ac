import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { objectLifetimeDays } from '#infra/object-lifetimes.ts'
import type { Store } from './s3-store.ts'

/** The end of the name of the file that holds an object. */
const objectFile = '._S3rver_object'

/** Removes the objects that the bucket's lifecycle would have removed by now. */
export async function removeExpired(
  store: Pick<Store, 'getBucketPath' | 'deleteObject'>,
  bucket: string,
  now: Date,
): Promise<void> {
  for (const [prefix, days] of Object.entries(objectLifetimeDays)) {
    const folder = join(store.getBucketPath(bucket), prefix)
    const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    for (const name of names.filter((one) => one.endsWith(objectFile))) {
      const { mtimeMs } = await stat(join(folder, name))
      if (mtimeMs + days * 86_400_000 > now.getTime()) continue
      const key = prefix + name.slice(0, -objectFile.length).replaceAll('\\', '/')
      await store.deleteObject(bucket, key)
    }
  }
}
