import { createCipheriv, createHash, randomBytes } from 'node:crypto'

/** The encryption of the gateway, written independently for tests. */

export const sessionKey = Buffer.from('AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', 'base64')

export type Gcm = { iv: string; tag: string; data: string }

export function gcm(plain: string | Uint8Array, key: Buffer, iv = randomBytes(16)): Gcm {
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const data = Buffer.concat([cipher.update(plain), cipher.final()])
  return {
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  }
}

/** `{iv, tag, value}`, by default with the key of the session. */
export function enc(plain: string | Uint8Array, key = sessionKey) {
  const { data, ...rest } = gcm(plain, key)
  return { ...rest, value: data }
}

/** CBC with the padding of XML Encryption: arbitrary bytes, then the number of padding bytes. */
export function cbc(plain: string | Uint8Array, key: Buffer): { iv: Buffer; data: Buffer } {
  const bytes = Buffer.from(plain)
  const padding = 16 - (bytes.length % 16)
  const padded = Buffer.concat([bytes, randomBytes(padding - 1), Buffer.from([padding])])
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', key, iv).setAutoPadding(false)
  return { iv, data: Buffer.concat([cipher.update(padded), cipher.final()]) }
}

/** An encrypted object with its own key. */
export function object(name: string, content: string, mode: 'gcm' | 'cbc' = 'gcm') {
  const key = randomBytes(32)
  const encKeyInfo = { encKey: enc(key) }
  if (mode === 'gcm') {
    const { iv, tag, data } = gcm(content, key)
    return { enc_name: name, enc_data: data, enc_iv: iv, enc_tag: tag, encKeyInfo }
  }
  const { iv, data } = cbc(content, key)
  const enc_data = Buffer.concat([iv, data]).toString('base64')
  return { enc_name: name, enc_data, enc_iv: '', enc_tag: '', encKeyInfo }
}

export const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')

/** The container with the keys of the attachments, and with other contents. */
export function projectCoco(keys: { name: string; key: Buffer | null }[], contents = ''): string {
  const encrypted = keys.map(({ name, key }) => {
    const data = key === null ? '' : `<ds:KeyInfo><ds:MgmtData>${base64(key)}</ds:MgmtData></ds:KeyInfo>`
    const reference = `<x:CipherData><x:CipherReference URI="cid:${name}"/></x:CipherData>`
    return `<x:EncryptedData>${data}${reference}</x:EncryptedData>`
  })
  return (
    '<?xml version="1.0" encoding="UTF-8"?><osci:ContentContainer xmlns:osci="http://www.osci.de/2002/04/osci"' +
    ' xmlns:x="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">' +
    `${encrypted.join('')}${contents}</osci:ContentContainer>`
  )
}

/** A content of a container, as a direct child of the root or below `Content`. */
export function content(id: string, text: string, layout: 'direct' | 'below' = 'direct'): string {
  const element = `<osci:Base64Content Id="${id}">${base64(text)}</osci:Base64Content>`
  return layout === 'direct' ? element : `<osci:Content>${element}</osci:Content>`
}

export function beaMessage(json: object): string {
  return projectCoco([], `<osci:Base64Content>${base64(JSON.stringify(json))}</osci:Base64Content>`)
}
