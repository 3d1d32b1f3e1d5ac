import { Failure } from '#kernel/failure.ts'
import {
  type FormFields,
  type FormLimits,
  groupFields,
  maxFormBytes,
  tooMany,
  utf8OrWindows1252,
} from './form-fields.ts'
import { header, type RequestEvent } from './request-event.ts'

export const urlencodedType = 'application/x-www-form-urlencoded'

/**
 * Reads the fields of a form that is sent as `application/x-www-form-urlencoded` (WHATWG URL, 5.1). The length and the
 * number of fields are checked before the body is decoded, so that a body of a million pairs costs almost nothing.
 *
 * @throws Failure 413 for a body over `maxFormBytes`, 415 for another content type, 400 for more or longer fields
 * than the limits allow.
 */
export function readUrlencoded(event: RequestEvent, limits: Required<FormLimits>): FormFields {
  const body = event.body ?? ''
  const type = header(event, 'content-type')?.trim() ?? ''
  if (type !== '' || body !== '') requireUrlencoded(type)
  // In base64 four characters stand for three bytes.
  const bytes = event.isBase64Encoded ? (body.length / 4) * 3 : Buffer.byteLength(body)
  if (bytes > maxFormBytes) throw new Failure('too_large', 'PAYLOAD_TOO_LARGE', 'A form has at most 4.4 MiB.')
  const text = event.isBase64Encoded ? Buffer.from(body, 'base64').toString() : body
  if (hasMorePairsThan(limits.fields, text)) throw tooMany(limits.fields)
  const pairs = [...new URLSearchParams(text)]
  const isUnread = limits.orWindows1252 && pairs.some((pair) => pair.join('').includes('\ufffd'))
  return groupFields(isUnread ? pairsOf(text) : pairs, limits)
}

/** The pairs of a form in which some bytes are not UTF-8. */
function pairsOf(text: string): [name: string, value: string][] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.includes('=') ? pair.indexOf('=') : pair.length
      return [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))]
    })
}

function decoded(written: string): string {
  const bytes = Buffer.from(written.replaceAll('+', ' ')).toString('latin1')
  const unescaped = bytes.replace(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return utf8OrWindows1252(Buffer.from(unescaped, 'latin1'))
}

function requireUrlencoded(contentType: string): void {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const isUtf8 = parameters.every((one) => !one.startsWith('charset=') || /^charset="?utf-?8"?$/.test(one))
  if (type === urlencodedType && isUtf8) return
  throw new Failure('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', `Send the body as ${urlencodedType}.`)
}

function hasMorePairsThan(limit: number, text: string): boolean {
  let pairs = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    pairs += 1
    if (pairs > limit) return true
  }
  return false
}
