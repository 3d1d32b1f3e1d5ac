/**
 * The message for an unknown name. It suggests the nearest known name if there is one, and otherwise lists the known
 * names.
 *
 * @param noun the kind of the name: `parameter` or `field`
 */
export function unknownMessage(noun: string, name: string, known: readonly string[]): string {
  const nearest = nearestTo(name, known)
  if (nearest !== undefined) return `This ${noun} is unknown. The nearest known one is ${nearest}.`
  if (known.length === 0) return `This ${noun} is unknown. None is expected here.`
  const shown = known.slice(0, maxShown).join(', ')
  return `This ${noun} is unknown. Known here: ${shown}${known.length > maxShown ? ', and others' : ''}.`
}

const maxShown = 30
const maxNameCharacters = 100

/**
 * The name that is probably meant: the one with the fewest edits (insertions, deletions, replacements and exchanges).
 * The edits may be at most a third of the letters, unless one name begins or ends with the other. Case, `_` and `-` do
 * not count.
 */
export function nearestTo(name: string, names: readonly string[]): string | undefined {
  const wanted = plain(name.slice(0, maxNameCharacters))
  const distances = names.map((known) => [distanceOf(wanted, plain(known)), known] as const)
  const nearest = distances.toSorted(([one], [other]) => one - other)[0]
  return nearest && nearest[0] < Infinity ? nearest[1] : undefined
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** The number of edits between two names; infinite if the names are not near. */
function distanceOf(name: string, known: string): number {
  const distance = editDistance(name, known)
  const isPart = (part: string, whole: string) =>
    part.length >= 3 && (whole.startsWith(part) || whole.endsWith(part))
  const isNear = distance <= Math.max(1, Math.floor(Math.max(name.length, known.length) / 3))
  return isNear || isPart(name, known) || isPart(known, name) ? distance : Infinity
}

/** The Levenshtein distance, row by row. Two exchanged neighbours count as one edit. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let line = 0; line < from.length; line += 1) {
    const next = [line + 1]
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] ?? 0) + Number(to[at] !== from[line])
      const isExchanged = at > 0 && to[at] === from[line - 1] && to[at - 1] === from[line]
      const exchanged = isExchanged ? (before[at - 1] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, exchanged, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}
