import { TextDecoder } from 'node:util'
import { type ByteSource, byteSource, inBlocks } from '#formats/byte-source.ts'
import { beginsLikeEda, hasOnlyDosLetters } from '#formats/eda.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { oleSignature, openOle } from '#formats/ole.ts'
import { attempted } from '#kernel/attempted.ts'
import type { DocumentType } from './schema.ts'

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

/**
 * The type of a file by its content, never by its name (D2). It is undefined for every type that is not accepted, such
 * as a ZIP or OLE file that is not a Word document, an executable, or an empty file.
 *
 * A damaged file keeps its type: it is stored, and extraction reports the damage. A Word document with a password looks
 * like any other encrypted Office file, so all of them count as DOCX.
 *
 * Pass all bytes, or a `ByteSource` that reads ranges. For PDF, PNG, JPG and TIFF, the first 1 KiB is enough. For DOCX,
 * the central directory at the end and one entry are read; for DOC the directory, which may be anywhere in the file.
 * Only plain text is read completely, 1 MiB at a time.
 *
 * @throws errors of the source
 */
export async function detectType(content: Uint8Array | ByteSource): Promise<DocumentType | undefined> {
  const source = content instanceof Uint8Array ? byteSource(content) : content
  const head = await source.read(0, 1024)
  if (head.length === 0) return undefined
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04)) return (await isDocx(inBlocks(source))) ? docx : undefined
  if (startsWith(head, ...oleSignature)) return oleType(source)
  if (startsWith(head, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png'
  if (startsWith(head, 0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (startsWith(head, 0x49, 0x49, 0x2a, 0x00) || startsWith(head, 0x4d, 0x4d, 0x00, 0x2a))
    return 'image/tiff'
  if (isPdf(head)) return 'application/pdf'
  return (await isPlainText(source)) ? 'text/plain' : undefined
}

function startsWith(bytes: Uint8Array, ...signature: number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte)
}

/**
 * PDF readers accept `%PDF-` anywhere in the first 1 KiB. Here only whitespace and a byte order mark may precede it.
 */
function isPdf(head: Uint8Array): boolean {
  return /^(?:\xef\xbb\xbf)?[\s\0]*%PDF-/.test(Buffer.from(head).toString('latin1'))
}

const maxEntries = 10_000
const contentTypesBytes = 1024 * 1024

/**
 * A ZIP is a DOCX if its content types include the main part of a DOCX. Templates and documents with macros have
 * another content type.
 */
async function isDocx(source: ByteSource): Promise<boolean> {
  const { inflateAll, openZip } = await import('#formats/zip.ts')
  try {
    const zip = await openZip(source, maxEntries)
    if (!zip.names.includes('[Content_Types].xml')) return false
    const contentTypes = await inflateAll(zip, '[Content_Types].xml', { bytes: contentTypesBytes })
    return mainPartOfDocx.test(Buffer.from(contentTypes).toString('latin1'))
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error
    return error.kind === 'corrupt' && (await beginsLikeDocx(source))
  }
}

const mainPartOfDocx =
  /["']application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.document\.main\+xml["']/

/** A truncated ZIP has no central directory, but the headers of its first entries are still there. */
async function beginsLikeDocx(source: ByteSource): Promise<boolean> {
  const head = Buffer.from(await source.read(0, 64 * 1024))
  for (let name = head.indexOf('word/document'); name >= 0; name = head.indexOf('word/document', name + 1)) {
    if (name >= localHeaderBytes && head.readUInt32LE(name - localHeaderBytes) === localHeaderSignature)
      return true
  }
  return false
}

const localHeaderBytes = 30
const localHeaderSignature = 0x04034b50

async function oleType(source: ByteSource): Promise<DocumentType | undefined> {
  try {
    const { names } = await openOle(source)
    if (names.includes('WordDocument')) return 'application/msword'
    return names.includes('EncryptedPackage') && names.includes('EncryptionInfo') ? docx : undefined
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error
    return (await beginsLikeDoc(source)) ? 'application/msword' : undefined
  }
}

/** If the directory is damaged, some sector still begins with 0xA5EC, the header of the Word stream. */
async function beginsLikeDoc(source: ByteSource): Promise<boolean> {
  const head = Buffer.from(await source.read(0, 64 * 1024))
  for (let sector = 512; sector + 4 <= head.length; sector += 512) {
    if (head.readUInt16LE(sector) === 0xa5ec && head.readUInt16LE(sector + 2) >= 0x00c1) return true
  }
  return false
}

const chunkBytes = 1024 * 1024

/**
 * Plain text is valid UTF-8, or Windows-1252 without its five undefined bytes. An EDA file (an application for a
 * payment order) may also be in a DOS code page.
 */
async function isPlainText(source: ByteSource): Promise<boolean> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  let isWindows1252 = true
  let isDosEda = true
  for (let offset = 0; offset < source.sizeBytes; offset += chunkBytes) {
    const chunk = await source.read(offset, chunkBytes)
    const latin1 = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    if (controlBytes.test(latin1)) return false
    isWindows1252 &&= !undefinedInWindows1252.test(latin1)
    isDosEda &&= (offset > 0 || beginsLikeEda(latin1)) && hasOnlyDosLetters(latin1)
    isUtf8 &&= isTextInUtf8(utf8, chunk, offset + chunkBytes < source.sizeBytes)
    if (!isUtf8 && !isWindows1252 && !isDosEda) return false
  }
  return true
}

/** All ASCII control characters except tab, line feed, form feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const controlBytes = /[\x00-\x08\x0b\x0e-\x1f\x7f]/
const undefinedInWindows1252 = /[\x81\x8d\x8f\x90\x9d]/
const controlsBeyondAscii = /[\x80-\x84\x86-\x9f]/

function isTextInUtf8(decoder: TextDecoder, chunk: Uint8Array, stream: boolean): boolean {
  return attempted(() => !controlsBeyondAscii.test(decoder.decode(chunk, { stream }))) ?? false
}
