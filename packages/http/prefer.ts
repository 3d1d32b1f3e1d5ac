import { header, type RequestEvent } from './request-event.ts'

/**
 * Whether a request must be refused if it has fields that are not read: `Prefer: handling=strict` (RFC 7240, 4.4). If a
 * preference occurs several times, the first value counts.
 */
export function prefersStrict(event: Pick<RequestEvent, 'headers' | 'multiValueHeaders'>): boolean {
  // A quoted string is one value, even if it contains commas.
  const prefer = (header(event, 'prefer') ?? '').replace(/"[^"]*"/g, (quoted) => quoted.replace(/[,;]/g, ' '))
  const preferences = prefer.split(',')
  const handling = preferences
    .map((preference) => preference.split(';')[0]?.toLowerCase().replace(/\s/g, '') ?? '')
    .find((preference) => preference.startsWith('handling='))
  return handling === 'handling=strict' || handling === 'handling="strict"'
}

/** The header of the answer to such a request. */
export const strictApplied = { 'Preference-Applied': 'handling=strict' }
