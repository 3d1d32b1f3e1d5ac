/**
 * The canonical JSON of a value (RFC 8785): members sorted by UTF-16 code units, no white space, numbers and
 * strings as ECMAScript writes them. Equal values have equal texts, so everybody computes the same hash.
 *
 * @throws TypeError for values that JSON cannot express: undefined, functions, NaN and infinite numbers, lone surrogates
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object') {
    const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
    return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`
  }
  throw new TypeError(`JSON cannot express this ${typeof value}.`)
}
