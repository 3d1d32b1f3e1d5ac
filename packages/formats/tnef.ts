import { FormatFault } from './format-fault.ts'

/** The contents that Outlook packs into `winmail.dat` (MS-OXTNEF). The bytes of attachments are parts of the input. */
export type Tnef = {
  text: string | null
  html: string | null
  attachments: { filename: string; mime_type: string | null; bytes: Uint8Array }[]
}

const signature = 0x223e9f78
const maxAttachments = 500
const maxBodyBytes = 1024 * 1024

const ids = {
  body: 0x0002800c,
  codepage: 0x00069007,
  messageProperties: 0x00069003,
  attachmentBegins: 0x00069002,
  attachmentTitle: 0x00018010,
  attachmentData: 0x0006800f,
  attachmentProperties: 0x00069005,
} as const

const properties = {
  body: 0x1000,
  html: 0x1013,
  /** PidTagAttachDataBinary: Exchange writes the bytes of an attachment here if there is no `attachmentData`. */
  attachmentBytes: 0x3701,
  filename: 0x3707,
  mimeType: 0x370e,
  /** PidTagInternetCodepage: the code page of `html`, if that is bytes. */
  htmlCodepage: 0x3fde,
} as const

/**
 * Reads bodies and attachments of a TNEF stream. A body that exists only as RTF is left out, and so are messages inside
 * the message. A truncated stream is read as far as possible.
 *
 * @throws FormatFault `corrupt` if it is not TNEF
 */
export function readTnef(bytes: Uint8Array): Tnef {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (data.length < 6 || data.readUInt32LE(0) !== signature)
    throw new FormatFault('corrupt', 'The file is not a TNEF stream.')
  const found: Tnef = { text: null, html: null, attachments: [] }
  let charset = 'windows-1252'
  for (const { id, value } of attributesOf(data)) {
    const attachment = found.attachments.at(-1)
    if (id === ids.codepage) charset = charsetOf(value) ?? charset
    else if (id === ids.body) found.text = textOf(value, charset)
    else if (id === ids.messageProperties) {
      const read = propertiesOf(value)
      const [text, html] = [read.get(properties.body), read.get(properties.html)]
      if (text !== undefined) found.text = propertyText(text, charset)
      const htmlCharset = charsetOf(read.get(properties.htmlCodepage)?.value)
      if (html !== undefined) found.html = propertyText(html, charset, htmlCharset)
    } else if (id === ids.attachmentBegins) {
      if (found.attachments.length >= maxAttachments) break
      found.attachments.push({ filename: '', mime_type: null, bytes: new Uint8Array() })
    } else if (attachment === undefined) continue
    else if (id === ids.attachmentTitle) attachment.filename ||= textOf(value, charset)
    else if (id === ids.attachmentData) attachment.bytes = value
    else if (id === ids.attachmentProperties) {
      const read = propertiesOf(value)
      const [name, type] = [read.get(properties.filename), read.get(properties.mimeType)]
      const content = read.get(properties.attachmentBytes)
      if (content?.type === bytesType && attachment.bytes.length === 0) attachment.bytes = content.value
      if (name !== undefined) attachment.filename = propertyText(name, charset)
      if (type !== undefined) attachment.mime_type = propertyText(type, charset)
    }
  }
  return { ...found, attachments: found.attachments.filter(({ bytes: content }) => content.length > 0) }
}

/** Level (1 byte), id (4), length (4), value, checksum (2). */
function* attributesOf(data: Buffer): Generator<{ id: number; value: Buffer }> {
  for (let at = 6; at + 9 <= data.length; ) {
    const length = data.readUInt32LE(at + 5)
    const start = at + 9
    if (start + length > data.length) return
    yield { id: data.readUInt32LE(at + 1), value: data.subarray(start, start + length) }
    at = start + length + 2
  }
}

type Property = { type: number; value: Buffer }

/** The sizes in bytes of fixed-length types; smaller ones are padded to four. */
const fixed: Record<number, number> = {
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
}
const integerType = 3
const bytesType = 258
const variable = new Set([13, 30, 31, bytesType])
const manyValues = 0x1000
const padded = (length: number) => Math.ceil(length / 4) * 4

/** The first value of each integer, string and binary property, by its id. It ends at the first unknown part. */
function propertiesOf(data: Buffer): Map<number, Property> {
  const found = new Map<number, Property>()
  const has = (at: number, length: number) => at + length <= data.length
  let at = 4
  for (let left = has(0, 4) ? data.readUInt32LE(0) : 0; left > 0 && has(at, 4); left -= 1) {
    const [type, id] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)]
    at += 4
    if (id >= 0x8000) {
      if (!has(at, 24)) return found
      const isNamed = data.readUInt32LE(at + 16) === 1
      at += 24 + (isNamed ? padded(data.readUInt32LE(at + 20)) : 0)
    }
    const base = type & ~manyValues
    const isVariable = variable.has(base)
    const size = fixed[base]
    if (!isVariable && size === undefined) return found
    let values = 1
    if (isVariable || base !== type) {
      if (!has(at, 4)) return found
      values = data.readUInt32LE(at)
      at += 4
    }
    for (; values > 0; values -= 1) {
      if (!has(at, isVariable ? 4 : (size ?? 0))) return found
      const length = isVariable ? data.readUInt32LE(at) : (size ?? 0)
      const start = isVariable ? at + 4 : at
      if (!has(start, length)) return found
      if ((isVariable || base === integerType) && !found.has(id))
        found.set(id, { type: base, value: data.subarray(start, start + length) })
      at = start + padded(length)
    }
  }
  return found
}

/** @param ofBytes the charset if the property is of the type bytes instead of a string */
function propertyText({ type, value }: Property, charset: string, ofBytes = charset): string {
  if (type === 31) return textOf(value, 'utf-16le')
  return textOf(value, type === bytesType ? ofBytes : charset)
}

/** The charset of a code page, which is the first 4 bytes of the value; undefined if it is shorter. */
function charsetOf(value: Buffer | undefined): string | undefined {
  if (value === undefined || value.length < 4) return undefined
  const codepage = value.readUInt32LE(0)
  if (codepage === 65001) return 'utf-8'
  const isoPart = codepage - 28590
  return isoPart >= 1 && isoPart <= 15 ? `iso-8859-${isoPart}` : `windows-${codepage}`
}

function textOf(value: Buffer, charset: string): string {
  const part = value.subarray(0, maxBodyBytes)
  const end = (text: string) => text.split('\0', 1)[0] ?? ''
  try {
    return end(new TextDecoder(charset).decode(part))
  } catch {
    // The decoder does not know this code page.
    return end(new TextDecoder('windows-1252').decode(part))
  }
}
