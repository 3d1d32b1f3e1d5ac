import { setImmediate } from 'node:timers/promises'
import { constants, inflateSync } from 'node:zlib'
import { limits } from './limits.ts'
import { ExtractionRefusal } from './refusal.ts'
import { fromAscii85, fromHexadecimal } from './text-forms.ts'

/**
 * Refuses a PDF whose streams inflate to more than is read. pdf.js keeps what it inflates in memory whole and
 * asks nobody, so it is counted before, stream by stream as they stand in the file, without believing a length.
 *
 * A compressed stream that is written as text (ASCII85, hexadecimal) is known by how it begins. Not seen are
 * streams behind encryption (a PDF that opens without a password can have it) and the rarer LZW and run-length
 * filters: there, the memory and time of the process are the limit.
 *
 * @returns bytes of the largest stream that is no picture, inflated.
 * @throws ExtractionRefusal `too_large`, or `too_complex` for a stream that is compressed twice.
 */
export async function checkInflation(bytes: Uint8Array, signal: AbortSignal): Promise<number> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let left: number = limits.inflatedPdfBytes
  let largestBytes = 0
  for (const { dictionary, data } of streamsOf(file)) {
    if ((dictionary.match(compressions)?.length ?? 0) > 1) {
      throw new ExtractionRefusal('too_complex', 'A part of the PDF is compressed more than once.')
    }
    const isPicture = /\/Subtype\s*\/Image\b/.test(dictionary)
    const most = isPicture ? limits.pixels * bytesOfPixel : limits.inflatedPdfStreamBytes
    if (isPicture && data.length * maxInflation < most) continue
    const inflated = compressedIn(data).map((bytes) => inflate(bytes, most))
    const inflatedBytes = Math.max(0, ...inflated.map((bytes) => bytes?.length ?? most + 1))
    if (!isPicture) {
      if ([data, ...inflated].some((bytes) => bytes !== undefined && makesLongText(bytes)))
        throw new ExtractionRefusal('too_complex', 'A font of the PDF stands for far too long a text.')
      left -= inflatedBytes
      largestBytes = Math.max(largestBytes, inflatedBytes)
    }
    if (inflatedBytes > most || left < 0) {
      throw new ExtractionRefusal('too_large', 'The PDF inflates to more than is read.')
    }
    await setImmediate()
    signal.throwIfAborted()
  }
  return largestBytes
}

const compressions = /\/(?:FlateDecode|Fl|LZWDecode|LZW|RunLengthDecode|RL)\b/g
const bytesOfPixel = 4
/** Deflate never does better than 1 : 1032. */
const maxInflation = 1_032
/** Characters before `stream` in which its dictionary is looked for. */
const dictionaryCharacters = 1_024

function* streamsOf(file: Buffer): Generator<{ dictionary: string; data: Buffer }> {
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

/**
 * What may be compressed data in a stream: it itself, and what it gives where it is text. The filters that its
 * dictionary names are not asked: they may stand elsewhere in the file, or in other words.
 */
function compressedIn(data: Buffer): Buffer[] {
  const head = data.subarray(0, headBytes)
  return [
    ...(isZlib(head) ? [data] : []),
    ...[fromAscii85, fromHexadecimal].flatMap((form) => (isZlib(form(head)) ? [form(data)] : [])),
  ]
}

/** Enough of a stream to see how it begins, blanks included. */
const headBytes = 64

/** The two bytes every zlib stream begins with: method 8, and a check that makes them a multiple of 31. */
function isZlib(data: Buffer): boolean {
  return data.length > 2 && (data.readUInt8(0) & 0x0f) === 8 && data.readUInt16BE(0) % 31 === 0
}

/** What the stream inflates to; undefined where it is more than `most` bytes. Damaged data is empty. */
function inflate(data: Buffer, most: number): Buffer | undefined {
  try {
    return inflateSync(data, { maxOutputLength: most, finishFlush: constants.Z_SYNC_FLUSH })
  } catch (error) {
    return error instanceof RangeError ? undefined : Buffer.alloc(0)
  }
}

/** The longest text that one glyph may stand for, in bytes of UTF-16; the longest ligature of Unicode is 18 characters. */
const maxGlyphTextBytes = 128

/**
 * Whether the stream maps a glyph to an endless text (ToUnicode, PDF 32000-1, 9.10.3): with it, a kilobyte of PDF
 * becomes gigabytes of text before pdf.js gives any of it.
 */
function makesLongText(stream: Buffer): boolean {
  if (!stream.includes('beginbf')) return false
  const longText = new RegExp(`<[\\s\\da-f]{${maxGlyphTextBytes * 2 + 1}}`, 'i')
  return longText.test(stream.toString('latin1'))
}
