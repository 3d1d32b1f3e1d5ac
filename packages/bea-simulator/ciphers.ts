import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Enc, EncData } from '#bea-wire/wire.ts'
import type { Randomness } from './randomness.ts'

const ivBytes = 16
const tagBytes = 16
const blockBytes = 16

/** AES-256-GCM with an IV of 16 bytes; all members are base64. */
export function encryptData(key: Buffer, plain: Uint8Array, random: Randomness): EncData {
  const iv = random.bytes(ivBytes, 'iv')
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const data = Buffer.concat([cipher.update(plain), cipher.final()])
  return { iv: base64(iv), tag: base64(cipher.getAuthTag()), data: base64(data) }
}

/** The same under the names of `Enc`. */
export function encrypt(key: Buffer, plain: Uint8Array | string, random: Randomness): Enc {
  const { iv, tag, data } = encryptData(key, typeof plain === 'string' ? Buffer.from(plain) : plain, random)
  return { iv, tag, value: data }
}

/** The value for missing data: empty members. */
export const nothingEncrypted: Enc = { iv: '', tag: '', value: '' }

/** @returns undefined if key, IV, tag and ciphertext do not belong together */
export function decryptData(key: Buffer, { iv, tag, data }: EncData): Buffer | undefined {
  const authTag = Buffer.from(tag, 'base64')
  if (authTag.length !== tagBytes || iv === '') return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64')).setAuthTag(authTag)
    return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()])
  } catch {
    return undefined
  }
}

/**
 * AES-256-CBC as in XML Encryption: the last byte is the number of added bytes, the other added bytes are arbitrary.
 *
 * @returns IV and ciphertext
 */
export function encryptCbc(key: Buffer, plain: Uint8Array, random: Randomness): { iv: Buffer; data: Buffer } {
  const iv = random.bytes(ivBytes, 'iv')
  const fillerBytes = blockBytes - (plain.length % blockBytes)
  const filler = random.bytes(fillerBytes, 'filler')
  filler[fillerBytes - 1] = fillerBytes
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false)
  return { iv, data: Buffer.concat([cipher.update(plain), cipher.update(filler), cipher.final()]) }
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
