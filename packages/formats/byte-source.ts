/**
 * Bytes that can be read in any order: an object in S3, read by ranges, or an array in memory. `read` returns exactly
 * the requested bytes; fewer only at the end of the source.
 */
export type ByteSource = {
  sizeBytes: number
  read(offset: number, lengthBytes: number): Promise<Uint8Array>
}

/** A source for bytes in memory. It does not copy them. */
export function byteSource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: async (offset, lengthBytes) => bytes.subarray(offset, offset + lengthBytes),
  }
}

/** The directory of a ZIP has about 80 bytes for each entry. */
const blockBytes = 64 * 1024
const mostBlocks = 16

/**
 * A source that reads whole blocks and keeps the last ones. So thousands of short reads beside each other, such as of
 * the entries of a ZIP, are few requests to S3.
 */
export function inBlocks({ sizeBytes, read }: ByteSource): ByteSource {
  const blocks = new Map<number, Promise<Uint8Array>>()
  const block = (number: number): Promise<Uint8Array> => {
    const present = blocks.get(number) ?? read(number * blockBytes, blockBytes)
    blocks.delete(number)
    blocks.set(number, present)
    present.catch(() => blocks.delete(number))
    const [oldest] = blocks.keys()
    if (blocks.size > mostBlocks && oldest !== undefined) blocks.delete(oldest)
    return present
  }
  return {
    sizeBytes,
    read: async (offset, lengthBytes) => {
      if (lengthBytes >= blockBytes) return read(offset, lengthBytes)
      const first = Math.floor(offset / blockBytes)
      const start = offset - first * blockBytes
      const end = start + lengthBytes
      const head = await block(first)
      const bytes = end <= blockBytes ? head : Buffer.concat([head, await block(first + 1)])
      // A copy: who keeps a few of the bytes must not keep whole blocks in memory.
      return new Uint8Array(bytes.subarray(start, end))
    },
  }
}
