/** How much is processed of one document; what is larger is attached to its certificate unchanged. */
export const limits = {
  /** Bytes of one document (S1: 50 MiB for all of an envelope). */
  documentBytes: 50 * 1024 * 1024,
  pages: 5_000,
  /** Objects of a PDF; a PDF of a thousand scanned pages has some ten thousand. */
  pdfObjects: 2_000_000,
  /** One stream of a PDF that is no picture, inflated. */
  inflatedStreamBytes: 32 * 1024 * 1024,
  /** All those streams of a PDF together. */
  inflatedBytes: 512 * 1024 * 1024,
  /** A stream with LZW or run lengths, as it stands in the file: either inflates to at most 4 096 times of it. */
  lzwBytes: 64 * 1024,
  /** Pixels of one page of a picture that must be decoded: A4 at 500 dpi has 24 million. */
  decodedPixels: 25_000_000,
  /** Pixels of one side of a picture. */
  pixelsOfSide: 20_000,
  /** Pages of a TIFF. */
  picturePages: 500,
  /** Bytes of the PNG of a drawn signature (S6). */
  signatureBytes: 200 * 1024,
  /** Bytes of a time stamp with its certificates; the signature reserves this space. */
  timeStampBytes: 24 * 1024,
  /**
   * How long preparing a document for its seal may take, and attaching it if that failed. Either takes seconds; a
   * laptop that does much else may need ten times as long.
   */
  prepareMilliseconds: 60_000,
  attachMilliseconds: 60_000,
  /** The memory of the process that prepares: objects of JavaScript, and everything together. */
  heapMegabytes: 1_024,
  residentBytes: 1_792 * 1024 * 1024,
  /** How long a process waits for another document, and how many processes do. */
  idleProcessMilliseconds: 10_000,
  idleProcesses: 2,
  /** The documents of one process: the libraries keep the names that they have read. */
  documentsOfProcess: 50,
  /** Memory that a process may have while it waits. */
  idleProcessBytes: 320 * 1024 * 1024,
  /** Pixels of a drawn signature. */
  signatureWidth: 2_000,
  signatureHeight: 1_000,
} as const
