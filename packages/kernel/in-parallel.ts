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
