/** Something with its place in a list; places sort as strings. */
export type Placed<Item> = { place: string; item: Item }

/**
 * Gives the items after a place, in order: `limit` of them, or fewer. `upTo`: how far it looked, unless to its end.
 */
export type Source<Item> = (
  after: string | undefined,
  limit: number,
) => Promise<{ items: Placed<Item>[]; upTo: string | undefined }>

/**
 * The next `limit` items of several lists as one, each once, and the place to go on after (undefined: nothing
 * follows). Where a list gave up looking, nothing is given out that something of it might come before.
 */
export async function mergeByPlace<Item extends { id: string }>(
  sources: Source<Item>[],
  after: string | undefined,
  limit: number,
): Promise<{ items: Item[]; next: string | undefined }> {
  const results = await Promise.all(sources.map((source) => source(after, limit + 1)))
  const bounds = results.flatMap(({ upTo }) => (upTo === undefined ? [] : [upTo]))
  const bound = bounds.toSorted()[0]
  const sorted = results
    .flatMap(({ items }) => items)
    .filter(({ place }) => bound === undefined || place <= bound)
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
  const seen = new Set<string>()
  const distinct = sorted.filter(({ item: { id } }) => !seen.has(id) && seen.add(id))
  const page = distinct.slice(0, limit)
  const next = distinct.length > limit ? page.at(-1)?.place : bound
  return { items: page.map(({ item }) => item), next }
}
