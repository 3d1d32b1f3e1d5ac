/** The limits of one document. A document that exceeds one is attached to its certificate unchanged. */
export const limits = {
  /** Bytes of one document (S1: 50 MiB for all of an envelope). */
  documentBytes: 50 * 1024 * 1024,
  pages: 5_000,
  /** Objects of a PDF; a PDF of a thousand scanned pages has some ten thousand. */
  pdfObjects: 2_000_000,
  /** One inflated stream of a PDF, pictures excepted. */
  inflatedStreamBytes: 32 * 1024 * 1024,
  /** All these streams of a PDF together. */
  inflatedBytes: 512 * 1024 * 1024,
  /** A stream with LZW or run-length encoding, before decoding. Both inflate by a factor of at most 4 096. */
  lzwBytes: 64 * 1024,
  /** Pixels of one page of a picture that must be decoded: A4 at 500 dpi has 24 million. */
  decodedPixels: 25_000_000,
  /** Pixels of one side of a picture. */
  pixelsPerSide: 20_000,
  /** Pages of a TIFF. */
  picturePages: 500,
  /** Bytes of the PNG of a drawn signature (S6). */
  signatureBytes: 200 * 1024,
  /** Bytes of a time stamp with its certificates; the signature reserves this space. */
  timeStampBytes: 24 * 1024,
  /**
   * How long preparing a document for its seal may take, and attaching it after a failure. Each takes seconds, on a
   * busy laptop ten times as long.
   */
  prepareMilliseconds: 60_000,
  attachMilliseconds: 60_000,
  /** The memory of the process that prepares: its JavaScript heap, and its total. */
  heapMegabytes: 1_024,
  residentBytes: 1_792 * 1024 * 1024,
  /** How long a process waits for another document, and how many processes may wait. */
  idleProcessMilliseconds: 10_000,
  idleProcesses: 2,
  /** The documents of one process. It is limited because the libraries keep all names that they have read. */
  documentsOfProcess: 50,
  /** Memory that a process may have while it waits. */
  idleProcessBytes: 320 * 1024 * 1024,
  /** Pixels of a drawn signature. */
  signatureWidth: 2_000,
  signatureHeight: 1_000,
} as const
