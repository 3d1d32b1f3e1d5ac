import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { bucketFiles } from '#files/bucket.ts'
import { failureOf } from '#kernel/failure.ts'
import type { SegmentFiles } from '#text-search/ports.ts'

/** Segments in the bucket. */
export function segmentFiles(): Omit<SegmentFiles, 'remove'> {
  const files = bucketFiles()
  return {
    put: async (workspaceId, name, path, signal) => {
      const about = { mimeType: 'application/vnd.sqlite3', signal }
      await files.putStream(segmentKey(workspaceId, name), createReadStream(path), about)
    },
    fetch: async (workspaceId, name, path) => {
      const key = segmentKey(workspaceId, name)
      try {
        await pipeline(Readable.from(await files.stream(key)), createWriteStream(path))
        return true
      } catch (error) {
        if (failureOf(error) !== undefined || (await files.head(key)) !== undefined) throw error
        return false
      }
    },
  }
}

/** The key of a segment in the bucket. */
export const segmentKey = (workspaceId: string, name: string) => `search/${workspaceId}/${name}`
