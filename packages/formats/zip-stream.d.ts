/** The writer of ZIP files that exceljs uses too. It has no types of its own. */
declare module 'zip-stream' {
  import type { Readable } from 'node:stream'

  export default class ZipStream extends Readable {
    constructor(options: { level?: number })
    entry(
      source: Buffer | Readable,
      about: { name: string; date: Date; store?: boolean },
      done: (error: Error | null | undefined) => void,
    ): void
    finish(): void
  }
}
