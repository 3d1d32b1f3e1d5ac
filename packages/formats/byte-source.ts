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
