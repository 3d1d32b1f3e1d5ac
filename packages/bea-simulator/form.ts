import { GatewayError } from './gateway-error.ts'

/**
 * Reads the body of a call: one form field `j`, base64 of JSON in UTF-8. It accepts both alphabets, with and without
 * padding, raw or with %-escapes. A space counts as the original `+`.
 *
 * @throws GatewayError with status 400 for anything else
 */
export function readForm(body: Buffer): object {
  if (body.subarray(0, 2).toString('latin1') !== 'j=') throw malformed('The body has no field j.')
  const bytes = Buffer.from(readBase64(body.subarray(2)), 'base64')
  const value = parse(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('The field j is not a JSON object.')
  return value
}

function readBase64(field: Buffer): string {
  let text = field.toString('latin1')
  if (text.includes('&')) throw malformed('The body has more than the field j.')
  if (text.includes('%'))
    text = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)))
  if (text.includes(' ')) text = text.replaceAll(' ', '+')
  if (!/^[\w+/-]*={0,2}$/.test(text)) throw malformed('The field j is not base64.')
  return text
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw malformed('The field j is not JSON in UTF-8.')
  }
}

function malformed(message: string): GatewayError {
  return new GatewayError(message, 400)
}
