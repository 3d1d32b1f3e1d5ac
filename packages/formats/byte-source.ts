/**
 * Bytes that can be read in any order without being in memory all at once: an object in S3 by ranges, or a
 * plain array. `read` gives exactly the bytes asked for, fewer only where the source ends.
 */
export type ByteSource = {
  sizeBytes: number
  read(offset: number, lengthBytes: number): Promise<Uint8Array>
}

/** Bytes in memory as a source; nothing is copied. */
export function byteSource(bytes: Uint8Array): ByteSource {
  return {
    sizeBytes: bytes.length,
    read: async (offset, lengthBytes) => bytes.subarray(offset, offset + lengthBytes),
  }
}
