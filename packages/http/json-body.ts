import { Failure, invalid } from '#kernel/failure.ts'
import { jsonFaultIn } from './json-fault.ts'
import { header, type RequestEvent } from './request-event.ts'

/** The JSON of a body; undefined if there is none. @throws Failure 415 for another content type, 400 */
export function readJson(event: RequestEvent): unknown {
  const type = header(event, 'content-type')
  if (type !== undefined && !isJson(type)) {
    throw new Failure('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
  }
  const text = event.isBase64Encoded ? decodeUtf8(event.body ?? '') : (event.body ?? '')
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    const { line, column } = jsonFaultIn(text)
    const message = `This is not valid JSON: look at line ${line}, column ${column}.`
    throw invalid('The body is not valid JSON.', [{ path: 'body', message }])
  }
}

function decodeUtf8(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    throw invalid('The body is not valid UTF-8.', [{ path: 'body', message: 'This is not valid UTF-8.' }])
  }
}

/** `application/json`, alone or with a charset that means UTF-8 (G2a). */
function isJson(contentType: string): boolean {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (type === '') return true
  if (type !== 'application/json') return false
  return parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter),
  )
}
