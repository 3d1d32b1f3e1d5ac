type Range = { first: number; last: number }

/** The objects of the bucket, by their keys. */
export type Files = {
  /** Stores an object; it is durable once this resolves. The storage compares the bytes with `sha256` (hexadecimal). */
  put: (key: string, bytes: Uint8Array, about: { mimeType: string; sha256: string }) => Promise<void>
  /**
   * Stores an object while its bytes arrive, in bounded memory. It is durable once this resolves. Nothing is stored if
   * the bytes fail or the signal aborts.
   *
   * @returns its size
   */
  putStream: (
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    about: { mimeType: string; signal: AbortSignal },
  ) => Promise<number>
  /** The bytes of an object, or the bytes from `first` to `last`, as a stream. @throws if it does not exist */
  stream: (key: string, range?: Range) => Promise<AsyncIterable<Uint8Array>>
  read: (key: string, range?: Range) => Promise<Uint8Array>
  /** Size and `etag` of an object (the `etag` changes with its content); undefined if there is none. */
  head: (key: string) => Promise<{ sizeBytes: number; etag: string } | undefined>
  /** A URL to which a client without credentials may upload an object of exactly this size and type. */
  presignPut: (
    key: string,
    about: { mimeType: string; sizeBytes: number; expiresInSeconds: number },
  ) => Promise<string>
  /**
   * A URL from which a client without credentials may download an object for a time, or with HEAD only its headers. The
   * answer has the given headers.
   */
  presignGet: (
    key: string,
    about: { mimeType: string; contentDisposition: string; expiresInSeconds: number; isHead: boolean },
  ) => Promise<string>
  /** Copies an object. @throws if its content no longer has this `etag` */
  copy: (from: string, to: string, about: { mimeType: string; etag: string }) => Promise<void>
  /** Removes objects; a missing object is not an error. */
  remove: (keys: string[]) => Promise<void>
}

/**
 * Whether the storage has refused to read an object because it does not exist. S3 answers `AccessDenied` to callers
 * without the right to list the bucket.
 */
export function isMissingObject(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'AccessDenied'].includes(error.name)
}
