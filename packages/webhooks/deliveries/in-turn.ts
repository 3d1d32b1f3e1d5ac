/**
 * Does the work for items that come from a source, as many at a time as `atOnce` says. `idle` resolves when the work for
 * all items that the source has given is done: the source may wait for it before it gives more.
 *
 * @throws the first failure, after the work that was begun has ended
 */
export async function inTurn<Item>(
  source: (idle: () => Promise<void>) => AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
  atOnce: () => number,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const faults: unknown[] = []
  const idle = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay)
    if (faults.length > 0) throw faults[0]
  }
  try {
    for await (const item of source(idle)) {
      const one: Promise<void> = work(item)
        .catch((error: unknown) => {
          faults.push(error)
        })
        .finally(() => underWay.delete(one))
      underWay.add(one)
      while (underWay.size >= atOnce()) await Promise.race(underWay)
      if (faults.length > 0) break
    }
  } catch (error) {
    faults.push(error)
  }
  await idle()
}
