/**
 * Does the work for each item, four of them at a time.
 *
 * @throws the first failure, at once. The work on other items then continues in the background.
 */
export function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  return inParallelUpTo(4, items, work)
}

/** Like `inParallel`, with `atOnce` items at a time. */
export async function inParallelUpTo<Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const item of waiting) await work(item)
    }),
  )
}
