import { constants, inflateSync } from 'node:zlib'
import { fromAscii85, fromHexadecimal } from './text-forms.ts'

/**
 * The streams of a PDF in the order of the file, each with its dictionary as text. Declared lengths and
 * cross-references are not trusted.
 */
export function* pdfStreams(file: Buffer): Generator<{ dictionary: string; data: Buffer }> {
  for (let keyword = file.indexOf('stream'); keyword >= 0; ) {
    const end = file.indexOf('endstream', keyword)
    const before = file.subarray(Math.max(0, keyword - dictionaryCharacters), keyword).toString('latin1')
    let start = keyword + 'stream'.length
    if (file[start] === 0x0d) start += 1
    if (file[start] === 0x0a) start += 1
    yield {
      dictionary: before.slice(before.lastIndexOf(' obj') + 1),
      data: file.subarray(start, end < 0 ? undefined : end),
    }
    if (end < 0) return
    keyword = file.indexOf('stream', end + 'endstream'.length)
  }
}

/** The characters before the word `stream` in which the dictionary is searched. */
const dictionaryCharacters = 1_024

/** The number of compressing filters that a dictionary names. */
export function compressionsOf(dictionary: string): number {
  return dictionary.match(compressions)?.length ?? 0
}

const compressions = /\/(?:FlateDecode|Fl|LZWDecode|LZW|RunLengthDecode|RL)\b/g

/**
 * The data in a stream that may be compressed: the stream itself, or its decoded bytes if it is encoded as text. The
 * names of its filters are not used, because the dictionary may refer to another place in the file for them.
 */
export function compressedIn(data: Buffer): Buffer[] {
  const head = data.subarray(0, headBytes)
  return [
    ...(isZlib(head) ? [data] : []),
    ...[fromAscii85, fromHexadecimal].flatMap((form) => (isZlib(form(head)) ? [form(data)] : [])),
  ]
}

/** The bytes, white space included, that are enough to recognise the encoding of a stream. */
const headBytes = 64

/** Every zlib stream begins with two bytes: method 8, and a check that makes them a multiple of 31. */
function isZlib(data: Buffer): boolean {
  return data.length > 2 && (data.readUInt8(0) & 0x0f) === 8 && data.readUInt16BE(0) % 31 === 0
}

/** The inflated data; undefined if it has more than `maxBytes` bytes, empty if the data is damaged. */
export function inflateWithin(data: Buffer, maxBytes: number): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH })
  } catch (error) {
    return error instanceof RangeError ? undefined : Buffer.alloc(0)
  }
}
