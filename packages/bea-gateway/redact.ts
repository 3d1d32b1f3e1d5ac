import { LongText } from './long-text.ts'

const maxTextLength = 500

/**
 * The text of an `error` member for the log. Its type is not specified. Sent data (a token, a subject) and anything
 * that looks like a key is removed.
 */
export function errorText(error: unknown, request: object): string {
  const text = error instanceof LongText ? 'a long text' : typeof error === 'string' ? error : asJson(error)
  let clear = text.slice(0, 10 * maxTextLength)
  for (const sent of textsOf(request)) clear = clear.replaceAll(sent, '[…]')
  return clear.replaceAll(/[A-Za-z0-9+/=_-]{24,}/g, '[…]').slice(0, maxTextLength)
}

function asJson(value: unknown): string {
  return JSON.stringify(value, (_, member) => (member instanceof LongText ? 'a long text' : member)) ?? ''
}

/** The texts of a request with at least three characters, the longest first, since one may contain another. */
function textsOf(request: object): string[] {
  const found: string[] = []
  const visit = (value: unknown) => {
    if (typeof value === 'string' && value.length > 2) found.push(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
  }
  visit(request)
  return found.toSorted((one, other) => other.length - one.length)
}
