/**
 * Does the work for each item, `atOnce` of them at a time.
 *
 * @throws the first failure, at once. The other items are then still worked on in the background.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  atOnce = 4,
): Promise<void> {
  const waiting = items.values()
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const item of waiting) await work(item)
    }),
  )
}

/**
 * Like `inParallel`, but does the work for every item, even if others fail.
 *
 * @throws at the end: the one failure, or an AggregateError with all of them
 */
export async function everyInParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  atOnce?: number,
): Promise<void> {
  const faults: unknown[] = []
  const tried = async (item: Item) => {
    await work(item).catch((error: unknown) => faults.push(error))
  }
  await inParallel(items, tried, atOnce)
  if (faults.length > 1) throw new AggregateError(faults, faults.map(String).join('; '))
  if (faults.length === 1) throw faults[0]
}
