import { Readable } from 'node:stream'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import type { ByteSource } from './byte-source.ts'
import { FormatFault } from './format-fault.ts'

/** An open ZIP: the names in its central directory, and the inflated bytes of each entry. */
export type Zip = {
  names: string[]
  /**
   * Inflates one entry chunk by chunk. The size in the directory is not trusted. Every inflated byte is subtracted from
   * `budget.bytes`, and inflation stops when nothing is left.
   *
   * @throws FormatFault `too_large` if the budget is used up, `corrupt` for a missing, encrypted or damaged entry
   */
  inflate(name: string, budget: InflationBudget): AsyncGenerator<Uint8Array>
}

/** The bytes that may still be inflated from one file, over all its entries. */
export type InflationBudget = { bytes: number }

/**
 * Reads the central directory of a ZIP, and nothing else.
 *
 * @throws FormatFault `too_large` for more than `maxEntries` entries, `corrupt` for a file that is not a ZIP, or that
 *   names entries outside itself
 */
export async function openZip(source: ByteSource, maxEntries: number): Promise<Zip> {
  const file = await orCorrupt(() =>
    fromRandomAccessReaderPromise(new SourceReader(source), source.sizeBytes, {
      lazyEntries: true,
      autoClose: false,
    }),
  )
  if (file.entryCount > maxEntries) throw tooManyEntries(maxEntries)
  const entries = await orCorrupt(() => readDirectory(file, maxEntries))
  return {
    names: [...entries.keys()],
    inflate: (name, budget) => inflate(file, entries.get(name), budget),
  }
}

async function readDirectory(file: ZipFile, maxEntries: number): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  let count = 0
  for await (const entry of file.eachEntry()) {
    count += 1
    if (count > maxEntries) throw tooManyEntries(maxEntries)
    if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry)
  }
  return entries
}

async function* inflate(
  file: ZipFile,
  entry: Entry | undefined,
  budget: InflationBudget,
): AsyncGenerator<Uint8Array> {
  if (entry === undefined) throw new FormatFault('corrupt', 'A part that the file refers to is missing.')
  const stream = await orCorrupt(() => file.openReadStreamPromise(entry))
  try {
    for await (const chunk of stream) {
      budget.bytes -= chunk.length
      if (budget.bytes < 0) throw new FormatFault('too_large', 'The file inflates to too many bytes.')
      yield chunk
    }
  } catch (error) {
    throw asFault(error)
  } finally {
    stream.destroy()
  }
}

/** Inflates a small entry at once. @throws as `Zip.inflate` */
export async function inflateAll(zip: Zip, name: string, budget: InflationBudget): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of zip.inflate(name, budget)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource

  constructor(source: ByteSource) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(chunksOf(this.#source, start, end), { objectMode: false })
  }
}

const chunkBytes = 256 * 1024

async function* chunksOf(source: ByteSource, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let offset = start; offset < end; offset += chunkBytes) {
    yield await source.read(offset, Math.min(chunkBytes, end - offset)).catch((error: unknown) => {
      throw new SourceFailure('The bytes could not be read.', { cause: error })
    })
  }
}

/** The bytes could not be fetched. The file is not the cause, so this must not become a FormatFault. */
class SourceFailure extends Error {}

async function orCorrupt<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw asFault(error)
  }
}

function asFault(error: unknown): unknown {
  if (error instanceof FormatFault) return error
  if (error instanceof SourceFailure) return error.cause
  return new FormatFault('corrupt', 'The ZIP container is damaged.', { cause: error })
}

function tooManyEntries(maxEntries: number): FormatFault {
  return new FormatFault('too_large', `The ZIP container has more than ${maxEntries} entries.`)
}
