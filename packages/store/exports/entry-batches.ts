import type { Found, Placed } from '../sorted-list.ts'

/** Reads the first entries of a term after a place, in ascending order. */
export type ReadTerm<Data> = (term: string, after: string | undefined, limit: number) => Promise<Found<Data>>

/** The first batch is small, so that a preview is cheap; then they double. */
const minBatch = 50
const maxBatch = 800

/**
 * The entries that are filed under all of these terms and that `isWanted`, in ascending order, in batches. An entry
 * must show by itself whether it is filed under the other terms.
 *
 * Of several terms, the same number of entries is read of each, and the one whose entries reach farthest gives the
 * batch. Up to that place, every entry that is filed under all terms is in the batch. So the rarest term drives
 * wherever it is rare, and the cost is at most its length times the number of terms.
 */
export async function* entriesUnder<Data>(
  terms: string[],
  read: ReadTerm<Data>,
  isWanted: (data: Data) => boolean,
): AsyncGenerator<Placed<Data>[]> {
  let after: string | undefined
  for (let size = minBatch; ; size = Math.min(2 * size, maxBatch)) {
    const batches = await Promise.all(terms.map((term) => read(term, after, size)))
    const { entries, ended } = batches.reduce((one, other) => (reach(other) > reach(one) ? other : one))
    const wanted = entries.filter(({ data }) => isWanted(data))
    if (wanted.length > 0) yield wanted
    if (ended) return
    after = entries.at(-1)?.place
  }
}

/** The last place that was read; after every place if nothing follows. */
function reach({ entries, ended }: Found<unknown>): string {
  return ended ? '\uffff' : (entries.at(-1)?.place ?? '')
}

/**
 * The same batches, of which the next is read while one is used. The second is read only when it is asked for: whoever
 * looks at the first alone pays for no other.
 */
export async function* readAhead<Batch>(source: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  const batches = source[Symbol.asyncIterator]()
  try {
    let next = batches.next()
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await next
      if (done) return
      if (!isFirst) next = begun(batches.next())
      yield value
      if (isFirst) next = batches.next()
    }
  } finally {
    await batches.return?.()
  }
}

/** A promise that nobody may wait for: its fault is thrown where it is waited for, and nowhere else. */
function begun<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {})
  return promise
}
