import { Readable } from 'node:stream'
import WordOleExtractor, { type Piece } from 'word-extractor/lib/word-ole-extractor.js'
import { byteSource } from '#formats/byte-source.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { type Ole, openOle } from '#formats/ole.ts'
import { limits } from './limits.ts'
import { ExtractionRefusal } from './refusal.ts'

/**
 * The text of a DOC of Word 97 and later: headers, body, text boxes, footnotes, endnotes, footers.
 *
 * `openOle` reads the container: it stops at loops and does not trust declared sizes. The container reader of
 * word-extractor does neither, so word-extractor gets only the streams.
 *
 * @throws ExtractionRefusal or FormatFault: `password_protected`, `unsupported_version`, `corrupt`, `too_large`.
 */
export async function readDoc(bytes: Uint8Array): Promise<string> {
  const container = await openOle(byteSource(bytes))
  const wordStream = await streamOf(container, 'WordDocument')
  checkVersion(wordStream)
  const document = await unlessCorrupt(() =>
    new WordTextExtractor().extractWordDocument(
      { stream: async (name) => Readable.from([await streamOf(container, name)]) },
      wordStream,
    ),
  )
  const asWritten = { filterUnicode: false }
  const parts = [
    document.getHeaders({ ...asWritten, includeFooters: false }),
    document.getBody(asWritten),
    document.getTextboxes(asWritten),
    document.getFootnotes(asWritten),
    document.getEndnotes(asWritten),
    document.getFooters(asWritten),
  ]
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')
}

async function streamOf(container: Ole, name: string): Promise<Buffer> {
  const bytes = await container.read(name)
  if (bytes === undefined) throw damaged(undefined)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * Checks the header of the Word stream ([MS-DOC] FibBase): 0xA5EC since Word 97; bit 8 of the flags means encrypted.
 */
function checkVersion(wordStream: Buffer): void {
  if (wordStream.length < 1024) throw damaged(undefined)
  if ((wordStream.readUInt16LE(10) & 0x0100) !== 0) {
    throw new ExtractionRefusal('password_protected', 'The document opens only with a password.')
  }
  const isWord97 = wordStream.readUInt16LE(0) === 0xa5ec && wordStream.readUInt16LE(2) >= 0x00c1
  if (!isWord97) {
    throw new ExtractionRefusal('unsupported_version', 'The document was written by Word 95 or earlier.')
  }
}

class WordTextExtractor extends WordOleExtractor {
  /**
   * Pieces can overlap, so a small file can declare a text of any length. Therefore the declared lengths are added up
   * before anything is read. Long pieces are split, because word-extractor copies a whole piece for every table row and
   * deletion in it. The optional hyphen (0x1F) is removed, because word-extractor would replace it with the word
   * "undefined". The non-breaking hyphen (0x1E) becomes a hyphen, because word-extractor would keep the control
   * character.
   */
  protected override writePieces(wordStream: Buffer, tableStream: Buffer): void {
    if (declaredCharacters(wordStream, tableStream) > limits.textCharacters) {
      throw new ExtractionRefusal('too_large', `The text has more than ${limits.textCharacters} characters.`)
    }
    super.writePieces(wordStream, tableStream)
    this._pieces = this._pieces.flatMap(shortPieces)
    for (const piece of this._pieces) piece.text = piece.text.replaceAll('\x1f', '\0').replaceAll('\x1e', '-')
  }

  /**
   * word-extractor recognises the property "deleted" by only five of its bits. So it also deletes text whose spacing
   * (`sprmCDxaSpace`, 0x8840) is an odd number of twentieths of a point.
   *
   * Properties are stored in pages of 512 bytes of the Word stream. A file that refers to more pages than the stream
   * has is refused: a small file that refers to one page many times would take minutes.
   */
  protected override writeCharacterProperties(wordStream: Buffer, tableStream: Buffer): void {
    for (const tableBytes of [wordStream.readUInt32LE(0xfe), wordStream.readUInt32LE(0x106)])
      if ((tableBytes - 4) / 8 > wordStream.length / 512) throw damaged(undefined)
    super.writeCharacterProperties(withoutFalseDeletions(wordStream, tableStream), tableStream)
  }

  /**
   * word-extractor copies the text between two consecutive header positions ([MS-DOC] PlcfHdd). This method makes the
   * positions ascend; otherwise a small file could repeat its text many times. Real programs write -1 for a header that
   * does not exist: that header becomes empty, and the text that follows belongs to the next one. The last position is
   * undefined in the format, so it becomes the end of the headers.
   */
  protected override normalizeHeaders(wordStream: Buffer, tableStream: Buffer): void {
    const [start, bytes] = [wordStream.readUInt32LE(0xf2), wordStream.readUInt32LE(0xf6)]
    if (bytes > maxHeaderBytes) throw damaged(undefined)
    const [headerCharacters, corrected] = [wordStream.readUInt32LE(0x54), Buffer.from(tableStream)]
    for (let last = 0, at = start; at + 4 <= start + bytes; at += 4) {
      const position = at + 8 > start + bytes ? headerCharacters : corrected.readUInt32LE(at)
      if (position <= headerCharacters) last = Math.max(last, position)
      corrected.writeUInt32LE(last, at)
    }
    super.normalizeHeaders(wordStream, corrected)
  }
}

/** `sprmCFRMarkDel`: the text was deleted with tracked changes if its operand is odd. */
const deletion = 0x0800

/** A copy of the Word stream in which each property that word-extractor mistakes for `deletion` has an even operand. */
function withoutFalseDeletions(wordStream: Buffer, tableStream: Buffer): Buffer {
  const corrected = Buffer.from(wordStream)
  const [start, bytes] = [wordStream.readUInt32LE(0xfa), wordStream.readUInt32LE(0xfe)]
  const pageCount = (bytes - 4) / 8
  for (let index = 0; index < pageCount; index += 1) {
    const pageNumber = tableStream.readUInt32LE(start + (pageCount + 1 + index) * 4)
    const page = corrected.subarray(pageNumber * 512, (pageNumber + 1) * 512)
    const runCount = page.readUInt8(511)
    for (let run = 0; run < runCount; run += 1) {
      const at = page.readUInt8((runCount + 1) * 4 + run) * 2
      if (at > 0) makeEven(page.subarray(at + 1, at + 1 + page.readUInt8(at)))
    }
  }
  return corrected
}

/**
 * Gives an even operand to each property that word-extractor mistakes for `deletion`. It reads the list of properties
 * ([MS-DOC] Prl) as word-extractor does.
 */
function makeEven(properties: Buffer): void {
  for (let at = 2; at < properties.length; ) {
    const property = properties.readUInt16LE(at - 2)
    const operand = properties.readUInt8(at)
    if ((property & 0x1f) === 0 && property !== deletion) properties.writeUInt8(operand & 0xfe, at)
    const sizes = [1, 1, 2, 4, 2, 2, operand + 1, 3]
    at += 2 + (sizes[property >> 13] ?? 0)
  }
}

const charactersPerPiece = 4_096

/** The maximum size of the header positions. A document has six for each section, and six more. */
const maxHeaderBytes = 1024 * 1024

function shortPieces(piece: Piece): Piece[] {
  const pieces: Piece[] = []
  for (let from = 0; from === 0 || from < piece.length; from += charactersPerPiece) {
    const text = piece.text.slice(from, from + charactersPerPiece)
    const startCp = piece.startCp + from
    const startFilePos = piece.startFilePos + from * piece.bpc
    const size = text.length * piece.bpc
    const place = { startCp, endCp: startCp + text.length, startFilePos, endFilePos: startFilePos + size }
    pieces.push({ ...piece, ...place, text, size, length: text.length })
  }
  return pieces
}

/** The number of characters of all pieces together, as the piece table declares it ([MS-DOC] Clx, PlcPcd). */
function declaredCharacters(wordStream: Buffer, tableStream: Buffer): number {
  let offset = wordStream.readUInt32LE(0x01a2)
  while (tableStream.readUInt8(offset) === 1) offset += 3 + tableStream.readUInt16LE(offset + 1)
  const pieceCount = (tableStream.readUInt32LE(offset + 1) - 4) / 12
  let characters = 0
  for (let piece = 0; piece < pieceCount; piece += 1) {
    const start = tableStream.readUInt32LE(offset + 5 + piece * 4)
    const end = tableStream.readUInt32LE(offset + 5 + (piece + 1) * 4)
    if (end < start) throw damaged(undefined)
    characters += end - start
  }
  return characters
}

async function unlessCorrupt<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ExtractionRefusal || error instanceof FormatFault) throw error
    throw damaged(error)
  }
}

function damaged(cause: unknown): FormatFault {
  return new FormatFault('corrupt', 'The Word file is damaged.', { cause })
}
