import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { UnreadableAnswer } from './fields.ts'
import { LargeText } from './form.ts'
import { giveBack, LongText } from './long-text.ts'

/** A key of AES-256: 32 bytes. */
export type AesKey = Buffer

/** Encrypted data as in an answer: base64. */
export type Encrypted = { iv: unknown; tag: unknown; data: unknown }

/** The plain bytes that are encrypted at once; a multiple of three, so that base64 needs no padding in between. */
const bytesAtOnce = 48 * 1024

/** @throws UnreadableAnswer for anything but 32 bytes */
export function aesKey(bytes: Buffer): AesKey {
  if (bytes.length !== 32) throw new UnreadableAnswer('A key does not have 32 bytes.')
  return bytes
}

/**
 * Decrypts AES-256-GCM. Returns plain bytes only after the tag was checked. Long data is removed from the answer, so it
 * can be decrypted once.
 *
 * @throws UnreadableAnswer if it does not decrypt
 */
export function decryptGcm({ iv, tag, data }: Encrypted, key: AesKey): Buffer {
  const authTag = base64Bytes(tag)
  const nonce = base64Bytes(iv)
  if (authTag.length !== 16 || nonce.length === 0) throw new UnreadableAnswer('A tag or an IV is missing.')
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
  decipher.setAuthTag(authTag)
  return deciphered(decipher, decoding(data))
}

/**
 * Decrypts AES-256-CBC. If `iv` is empty, the data begins with the IV. The last byte is the number of padding bytes;
 * the other padding bytes are arbitrary (XML Encryption, 5.2).
 *
 * @throws UnreadableAnswer if the length or the padding is impossible
 */
export function decryptCbc({ iv, data }: Omit<Encrypted, 'tag'>, key: AesKey): Buffer {
  const { pieces, memory } = decoding(data)
  const own = isNothing(iv) ? undefined : base64Bytes(iv)
  const { head, rest } = own === undefined ? splitAfter(16, pieces) : { head: own, rest: pieces }
  if (head.length !== 16) throw new UnreadableAnswer('An IV does not have 16 bytes.')
  const decipher = createDecipheriv('aes-256-cbc', key, head).setAutoPadding(false)
  const padded = deciphered(decipher, { pieces: rest, memory })
  const padding = padded.at(-1) ?? 0
  if (padding < 1 || padding > 16) throw new UnreadableAnswer('A padding is impossible.')
  return padded.subarray(0, -padding)
}

/** Empty texts and null count as missing. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** Encrypted bytes to send, in base64. The members are written in this order, since the tag is known after the data. */
type SentEncrypted = { iv: string; data: LargeText; tag: LargeText }

export const newIv = () => randomBytes(16)

/** Encrypts with AES-256-GCM while the text is written. `iv` must be unique and has 16 bytes, as in the network. */
export function encryptGcm(plain: Uint8Array, key: AesKey, iv: Buffer): SentEncrypted {
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 })
  return {
    iv: iv.toString('base64'),
    data: new LargeText(base64Length(plain.length), function* () {
      for (let at = 0; at < plain.length; at += bytesAtOnce) {
        yield cipher.update(plain.subarray(at, at + bytesAtOnce)).toString('base64')
      }
      cipher.final()
    }),
    tag: new LargeText(base64Length(16), () => [cipher.getAuthTag().toString('base64')]),
  }
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

type Decipher = { update: (bytes: Buffer) => Buffer; final: () => Buffer }

/** Decrypts the pieces into `memory`, which may contain them: the output never overtakes the input. */
function deciphered(decipher: Decipher, { pieces, memory }: Decoding): Buffer {
  let length = 0
  try {
    for (const piece of pieces) {
      const plain = decipher.update(piece)
      length += plain.copy(memory, length)
      giveBack(plain)
    }
    length += decipher.final().copy(memory, length)
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw error
    throw new UnreadableAnswer('Something does not decrypt.', error)
  }
  return memory.subarray(0, length)
}

/** @throws UnreadableAnswer for anything but base64; null and a missing member are empty */
export function base64Bytes(value: unknown): Buffer {
  const { pieces, memory } = decoding(value)
  let length = 0
  for (const piece of pieces) length += piece.copy(memory, length)
  return memory.subarray(0, length)
}

/** Decoded base64, piece by piece, and memory for all pieces. The pieces may be part of it: consumed ones may be overwritten. */
type Decoding = { pieces: Iterable<Buffer>; memory: Buffer }

/** @throws UnreadableAnswer if it is not a text */
function decoding(value: unknown): Decoding {
  if (!(value instanceof LongText)) {
    const text = value ?? ''
    if (typeof text !== 'string') throw notBase64()
    return { pieces: decodedPieces([text]), memory: Buffer.allocUnsafe(Math.ceil(text.length / 4) * 3) }
  }
  const { memory, decodedBytes, rest } = value.take()
  const pieces = function* () {
    for (let at = 0; at < decodedBytes; at += bytesAtOnce)
      yield memory.subarray(at, Math.min(at + bytesAtOnce, decodedBytes))
    yield* decodedPieces(rest)
  }
  return { memory, pieces: pieces() }
}

/** Decodes base64 of both alphabets, with or without padding and line breaks. */
function* decodedPieces(texts: Iterable<string>): Generator<Buffer> {
  let rest = ''
  let isPadded = false
  try {
    for (const piece of texts) {
      const text = piece.replaceAll(/\s/g, '')
      const digits = text.replace(/={1,2}$/, '')
      if (/[^\w+/-]/.test(digits) || (isPadded && digits !== '')) throw new SyntaxError('It is not base64.')
      isPadded ||= digits.length < text.length
      const all = rest + digits
      const end = all.length - (all.length % 4)
      if (end > 0) yield Buffer.from(all.slice(0, end), 'base64')
      rest = all.slice(end)
    }
    if (rest.length === 1) throw new SyntaxError('It is not base64.')
  } catch {
    throw notBase64()
  }
  if (rest !== '') yield Buffer.from(rest, 'base64')
}

function notBase64(): UnreadableAnswer {
  return new UnreadableAnswer('Something is not base64.')
}

/** Splits off the first `length` bytes. */
function splitAfter(length: number, pieces: Iterable<Buffer>): { head: Buffer; rest: Iterable<Buffer> } {
  const iterator = pieces[Symbol.iterator]()
  let start: Buffer = Buffer.alloc(0)
  while (start.length < length) {
    const next = iterator.next()
    if (next.done) break
    start = Buffer.concat([start, next.value])
  }
  const rest = function* () {
    yield start.subarray(length)
    for (let next = iterator.next(); !next.done; next = iterator.next()) yield next.value
  }
  return { head: start.subarray(0, length), rest: rest() }
}
