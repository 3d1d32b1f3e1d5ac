import { Readable } from 'node:stream'
import ZipStream from 'zip-stream'

/** A file in a ZIP: its path with `/`, its time, and its bytes, which are read when the file is written. */
export type ZippedFile = {
  path: string
  date: Date
  /** The bytes cannot be compressed: pictures, PDF, other ZIPs. */
  isCompressed?: boolean
  open: () => Promise<AsyncIterable<Uint8Array>> | AsyncIterable<Uint8Array>
}

/**
 * The bytes of a ZIP with these files, in their order. One file is open at a time. Its bytes are read as fast as the
 * caller takes the bytes of the ZIP, so the memory needed does not depend on the sizes. If a file cannot be read, the
 * ZIP ends without its directory.
 */
export async function* zipFile(files: AsyncIterable<ZippedFile>): AsyncGenerator<Uint8Array> {
  const zip = new ZipStream({ level: 6 })
  const writing = writeAll(zip, files).catch((error: Error) => void zip.destroy(error))
  try {
    yield* zip as AsyncIterable<Uint8Array>
    await writing
  } finally {
    zip.destroy()
  }
}

async function writeAll(zip: ZipStream, files: AsyncIterable<ZippedFile>): Promise<void> {
  for await (const { path, date, isCompressed = false, open } of files) {
    const source = Readable.from(await open(), { objectMode: false })
    await new Promise<void>((resolve, reject) => {
      // The reader has stopped, so the rest is not written.
      zip.once('close', resolve)
      source.once('error', reject)
      zip.entry(source, { name: path, date, store: isCompressed }, (error) => {
        zip.off('close', resolve)
        if (error) reject(error)
        else resolve()
      })
    })
    if (!zip.destroyed) continue
    source.destroy()
    return
  }
  zip.finish()
}
