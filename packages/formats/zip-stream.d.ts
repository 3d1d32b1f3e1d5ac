/** The ZIP writer that exceljs also uses. The package has no types. */
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
