import { FormatFault } from './format-fault.ts'

/** The tags of the elements on the way to the content (RFC 5652, 3 and 5.1). */
const tags = {
  integer: 0x02,
  octets: 0x04,
  oid: 0x06,
  octetsOfParts: 0x24,
  sequence: 0x30,
  set: 0x31,
  zero: 0xa0,
}

const oids = {
  data: Buffer.from('2a864886f70d010701', 'hex'),
  signedData: Buffer.from('2a864886f70d010702', 'hex'),
  envelopedData: Buffer.from('2a864886f70d010703', 'hex'),
  authEnvelopedData: Buffer.from('2a864886f70d0109100117', 'hex'),
}

/** The deepest nesting of strings that consist of strings. */
const maxDepth = 10

/**
 * Reads the content that a CMS signature encloses, in BER or DER. Nothing is verified. The bytes after the content,
 * such as certificates and signatures, are not read.
 *
 * asn1js is not used: a hostile file of 32 MB takes gigabytes of memory there. This reader takes at most the size of
 * the file.
 *
 * @returns the content; it may be a part of the input
 * @throws FormatFault `corrupt` if it is not a signature of data, or if it has no content
 */
export function readOpaqueCms(bytes: Uint8Array): Buffer {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const info = inside(data, { start: 0, end: data.length }, tags.sequence)
  const signed = inside(data, inside(data, afterOid(data, info, oids.signedData), tags.zero), tags.sequence)
  const digests = after(data, signed, tags.integer)
  const encapsulated = inside(data, after(data, digests, tags.set), tags.sequence)
  const content = inside(data, afterOid(data, encapsulated, oids.data), tags.zero)
  const octets = elementAt(data, content)
  if (octets.tag === tags.octets) return data.subarray(octets.start, octets.end)
  if (octets.tag !== tags.octetsOfParts) throw corrupt()
  const joined = { bytes: Buffer.allocUnsafe(data.length), length: 0 }
  copyStrings(data, octets, joined, 1)
  return joined.bytes.subarray(0, joined.length)
}

/** The type of a CMS stands in its first bytes, after at most eight bytes of the outer element. */
const typeBytes = 24

/** Whether a CMS is encrypted, by its type (RFC 5652, 6.1; RFC 5083, 2). Its first bytes are enough. */
export function isEncryptedCms(bytes: Uint8Array): boolean {
  const beginning = Buffer.from(bytes.subarray(0, typeBytes))
  return [oids.envelopedData, oids.authEnvelopedData].some((oid) => beginning.includes(oid))
}

/** A range of the file that consists of elements. `isOpen`: two zero bytes end it before `end`. */
type Range = { start: number; end: number; isOpen?: boolean }

type Element = Range & { tag: number }

function elementAt(data: Buffer, { start, end }: Range): Element {
  const [tag, length] = [data[start], data[start + 1]]
  if (start + 2 > end || tag === undefined || length === undefined || (tag & 0x1f) === 0x1f) throw corrupt()
  const isConstructed = (tag & 0x20) !== 0
  if (length === 0x80 && isConstructed) return { tag, start: start + 2, end, isOpen: true }
  const lengthBytes = length < 0x80 ? 0 : length & 0x7f
  const first = start + 2 + lengthBytes
  if (length === 0x80 || lengthBytes > 6 || first > end) throw corrupt()
  const last = first + (lengthBytes === 0 ? length : data.readUIntBE(start + 2, lengthBytes))
  if (last > end) throw corrupt()
  return { tag, start: first, end: last }
}

function inside(data: Buffer, range: Range, tag: number): Range {
  const element = elementAt(data, range)
  if (element.tag !== tag) throw corrupt()
  return element
}

/** The rest of a range after its first element. */
function after(data: Buffer, range: Range, tag: number): Range {
  const element = inside(data, range, tag)
  return { ...range, start: element.isOpen ? endOfOpen(data, element) : element.end }
}

function afterOid(data: Buffer, range: Range, oid: Buffer): Range {
  const { start, end } = inside(data, range, tags.oid)
  if (!data.subarray(start, end).equals(oid)) throw corrupt()
  return { ...range, start: end }
}

/** The offset after the zero bytes that end an element of indefinite length. */
function endOfOpen(data: Buffer, { start, end }: Range): number {
  let at = start
  for (let open = 1; open > 0; ) {
    const element = elementAt(data, { start: at, end })
    if (element.isOpen) open += 1
    else if (element.tag === 0) open -= 1
    at = element.isOpen ? element.start : element.end
  }
  return at
}

/** Copies the strings that a string consists of. @returns the offset after them */
function copyStrings(
  data: Buffer,
  { start, end, isOpen }: Range,
  joined: { bytes: Buffer; length: number },
  depth: number,
): number {
  let at = start
  while (isOpen || at < end) {
    const part = elementAt(data, { start: at, end })
    if (isOpen && part.tag === 0) return part.end
    if (part.tag === tags.octets) {
      joined.length += data.copy(joined.bytes, joined.length, part.start, part.end)
      at = part.end
    } else if (part.tag === tags.octetsOfParts && depth < maxDepth)
      at = copyStrings(data, part, joined, depth + 1)
    else throw corrupt()
  }
  return at
}

function corrupt(): FormatFault {
  return new FormatFault('corrupt', 'The file is not a CMS signature with its content.')
}
