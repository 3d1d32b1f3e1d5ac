import { bytesOf, encodingOf, type MimePart, mimeParts, typeOf } from './mime-parts.ts'

/** A slash. A program that rewrites links, such as Safe Links, writes `%2F`, and a second such program `%252F`. */
const slash = /(?:\/|%(?:25){0,3}2[Ff])/.source

/** The end of a token. A longer word belongs to a link of another service. */
const wordEnd = /(?![_-]{0,2}[A-Za-z0-9])/.source

const tokenLength = 43

/** A link to shared documents, or a magic link, in our own mail. Everybody who has one gets access. */
const pattern = new RegExp(`${slash}(shared|sign)${slash}([\\w-]{${tokenLength}})${wordEnd}`, 'g')

/**
 * The text without the soft line breaks of quoted-printable, because such a break may split an address. `offsets` maps
 * each character of `plain` to its offset in `text`.
 */
function unfolded(text: string): { plain: string; offsets: Uint32Array } {
  const offsets = new Uint32Array(text.length)
  let [plain, start] = ['', 0]
  const take = (end: number) => {
    for (let at = start; at < end; at += 1) offsets[plain.length + at - start] = at
    plain += text.slice(start, end)
  }
  for (const { 0: softBreak, index } of text.matchAll(/=\r?\n/g)) {
    take(index)
    start = index + softBreak.length
  }
  take(text.length)
  return { plain, offsets }
}

const asterisk = '*'.charCodeAt(0)

/** The message with an asterisk in place of each character of a token. Its length does not change. */
export function withoutLinkTokens(message: Uint8Array): Buffer {
  const raw = Buffer.from(message)
  for (const part of textParts(raw)) {
    const { bodyStart, bodyEnd } = part
    const isEncoded = encodingOf(part) === 'base64'
    const written = isEncoded ? Buffer.from(bytesOf(raw, part)) : raw.subarray(bodyStart, bodyEnd)
    const { plain, offsets } = unfolded(written.toString('latin1'))
    const found = [...plain.matchAll(pattern)]
    if (found.length === 0) continue
    for (const { 0: address, index } of found)
      for (let at = index + address.length - tokenLength; at < index + address.length; at += 1)
        written[offsets[at] ?? 0] = asterisk
    if (isEncoded) encodeInPlace(raw, part, written)
  }
  return raw
}

/**
 * The tokens of such links in a quotation, where a line break may split a token. URL Defense of Proofpoint writes `_`
 * for a slash, and `-5F` and `-2D` for the characters `_` and `-` of a token.
 */
const quoted = [
  new RegExp(
    `(?<=${slash}(?:shared|sign)${slash})(?:[\\w-](?:\\r?\\n[ \\t]*(?:>[ \\t]?)*)?){${tokenLength}}${wordEnd}`,
    'g',
  ),
  new RegExp(`(?<=_(?:shared|sign)_)(?:-5[Ff]|-2[Dd]|[A-Za-z0-9]){${tokenLength}}${wordEnd}`, 'g'),
]

/** Text or HTML with an asterisk in place of each character of a token, for example a mail that quotes our mail. */
export function withoutTokens(text: string): string {
  return quoted.reduce(
    (written, token) => written.replace(token, (characters) => characters.replace(/[\w-]/g, '*')),
    text,
  )
}

/** The tokens of shared documents in a message, without duplicates. */
export function sharedTokensIn(message: Uint8Array): string[] {
  const raw = Buffer.from(message)
  const texts = textParts(raw).map((part) => Buffer.from(bytesOf(raw, part)).toString('latin1'))
  const found = texts.flatMap((text) => [...text.matchAll(pattern)])
  return [...new Set(found.flatMap(([, kind, token]) => (kind === 'shared' && token ? [token] : [])))]
}

/** The text parts of a message. They include a multipart without a boundary, because it is shown as text. */
function textParts(raw: Buffer): MimePart[] {
  return mimeParts(raw).filter((part) => /^(?:text|multipart)\//.test(typeOf(part)))
}

/** Overwrites a base64 body with `bytes` in base64. The number of bytes must not change. Line breaks stay. */
function encodeInPlace(raw: Buffer, { bodyStart, bodyEnd }: MimePart, bytes: Buffer): void {
  const encoded = bytes.toString('base64')
  let next = 0
  for (let at = bodyStart; at < bodyEnd && next < encoded.length; at += 1) {
    if (/[A-Za-z0-9+/=]/.test(String.fromCharCode(raw[at] ?? 0))) raw[at] = encoded.charCodeAt(next++)
  }
}
