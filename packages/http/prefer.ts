import { type RequestEvent, wholeHeader } from './request-event.ts'

/**
 * Whether the caller wants a request to be refused that holds more than is read (RFC 7240, 4.4): `Prefer: handling=strict`.
 * Of several values of one preference the first counts.
 */
export function prefersStrict(event: Pick<RequestEvent, 'headers' | 'multiValueHeaders'>): boolean {
  // What is quoted is one value, also with commas in it.
  const header = (wholeHeader(event, 'prefer') ?? '').replace(/"[^"]*"/g, (quoted) =>
    quoted.replace(/[,;]/g, ' '),
  )
  const preferences = header.split(',')
  const handling = preferences
    .map((preference) => preference.split(';')[0]?.toLowerCase().replace(/\s/g, '') ?? '')
    .find((preference) => preference.startsWith('handling='))
  return handling === 'handling=strict' || handling === 'handling="strict"'
}

/** What the answer to such a request says. */
export const strictApplied = { 'Preference-Applied': 'handling=strict' }
