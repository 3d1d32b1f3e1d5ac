/** The one of these names that is the fewest insertions, deletions and replacements away; the first of several. */
export function nearestTo(name: string, names: readonly string[]): string | undefined {
  const distances = names.map((known) => [editDistance(name, known), known] as const)
  return distances.toSorted(([one], [other]) => one - other)[0]?.[1]
}

/** Levenshtein's distance, row by row. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] ?? 0) + Number(to[at] !== letter)
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
