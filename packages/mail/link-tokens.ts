import { bytesOf, encodingOf, type MimePart, mimeParts, typeOf } from './mime-parts.ts'

/** Addresses in mail of ours that open something for everybody who has them: shared documents and magic links. */
const paths = ['/shared/', '/sign/']
const tokenLength = 43

/** A token after its path; in quoted-printable a line may end between any two of its characters. */
const pattern = new RegExp(
  `(${paths.map((path) => [...path].join(softBreak())).join('|')})((?:${softBreak()}[\\w-]){${tokenLength}})`,
  'g',
)

function softBreak(): string {
  return '(?:=\\r?\\n)?'
}

/** The message with an asterisk for each character of a token; it is as long as before. */
export function withoutLinkTokens(message: Uint8Array): Buffer {
  const raw = Buffer.from(message)
  for (const part of textParts(raw)) {
    const { bodyStart, bodyEnd } = part
    const isEncoded = encodingOf(part) === 'base64'
    const written = isEncoded ? Buffer.from(bytesOf(raw, part)) : raw.subarray(bodyStart, bodyEnd)
    const text = written.toString('latin1')
    const hidden = text.replace(
      pattern,
      (_, path: string, token: string) => path + token.replace(/[\w-]/g, '*'),
    )
    if (hidden === text) continue
    const bytes = Buffer.from(hidden, 'latin1')
    if (isEncoded) encodeInPlace(raw, part, bytes)
    else bytes.copy(raw, bodyStart)
  }
  return raw
}

/** The tokens of addresses of shared documents in a message, each once. */
export function sharedTokensIn(message: Uint8Array): string[] {
  const raw = Buffer.from(message)
  const texts = textParts(raw).map((part) => Buffer.from(bytesOf(raw, part)).toString('latin1'))
  const found = texts.flatMap((text) => [...text.matchAll(pattern)])
  return [...new Set(found.flatMap(([, path, token]) => (path === '/shared/' && token ? [token] : [])))]
}

function textParts(raw: Buffer): MimePart[] {
  return mimeParts(raw).filter((part) => typeOf(part).startsWith('text/'))
}

/** Writes base64 over the base64 of as many bytes: characters change, line breaks stay. */
function encodeInPlace(raw: Buffer, { bodyStart, bodyEnd }: MimePart, bytes: Buffer): void {
  const encoded = bytes.toString('base64')
  let next = 0
  for (let at = bodyStart; at < bodyEnd && next < encoded.length; at += 1) {
    if (/[A-Za-z0-9+/=]/.test(String.fromCharCode(raw[at] ?? 0))) raw[at] = encoded.charCodeAt(next++)
  }
}
