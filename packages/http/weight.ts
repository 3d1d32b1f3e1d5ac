import type { Endpoint } from './endpoint.ts'
import type { RequestEvent } from './request-event.ts'

/** Reading this number of commas and colons of a JSON body takes about as long as a whole usual request. */
const separatorsOfRequest = 2_000

/**
 * The number of usual requests as which a request counts (G17). It is computed before the body is parsed, from the commas
 * and colons of its JSON, which limit the number of members and entries. If the endpoint does work for each entry, its
 * declaration adds to the weight. Forms count once: their fields are few, and nothing looks into their files yet.
 */
export function weightOf(
  { encodings, weightOfEntry }: Pick<Endpoint<never>, 'encodings' | 'weightOfEntry'>,
  { body, isBase64Encoded }: Pick<RequestEvent, 'body' | 'isBase64Encoded'>,
): number {
  if (!body || !encodings.includes('json')) return 1
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString('latin1') : body
  const commas = countOf(',', text)
  return 1 + Math.floor((commas + countOf(':', text)) / separatorsOfRequest) + commas * weightOfEntry
}

/** How often a character stands in a text, also within its strings. */
function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1
  return count
}
