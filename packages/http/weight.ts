import type { Endpoint } from './endpoint.ts'
import type { RequestEvent } from './request-event.ts'

/** Parsing JSON with this number of members and entries takes about as long as a usual request. */
const partsOfRequest = 2_000

/** More entries are refused before they cause work, whatever the endpoint. */
const maxEntries = 1_000

/**
 * The weight of a request: the number of usual requests that it counts as (G17). It is computed before the body is
 * parsed. The number of commas and colons in its JSON limits the number of members and entries. Lists that are nested
 * without any are counted by their brackets. If each entry causes work, the weight is greater (`weightOfEntry`). A form
 * counts as one request: it has few fields, and its files are not read yet.
 */
export function weightOf(
  { encodings, weightOfEntry }: Pick<Endpoint<never>, 'encodings' | 'weightOfEntry'>,
  { body, isBase64Encoded }: Pick<RequestEvent, 'body' | 'isBase64Encoded'>,
): number {
  if (!body || !encodings.includes('json')) return 1
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString('latin1') : body
  const commas = countOf(',', text)
  const entries = Math.min(commas, maxEntries)
  const parts = Math.max(commas + countOf(':', text), countOf('[', text) + countOf('{', text))
  return 1 + Math.floor(parts / partsOfRequest) + entries * weightOfEntry
}

/** How often a character occurs in a text, also within strings. */
function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1
  return count
}
