type Group<Item> = [Item, ...Item[]]

/** An item that waits for its group, and the promise of its caller. */
type Waiting<Item> = { item: Item; resolve: (done: Promise<void>) => void }

/**
 * Runs work for single items in groups: while one group is running, new items wait and form the next one. So a single
 * item is not delayed, and many items share the calls of their group.
 *
 * If the work of a group fails, it is repeated for each item separately, and each item gets its own error. So the work
 * must be repeatable.
 *
 * @param deps.work resolves when the next group may begin, with a function that completes the work for the items of
 *   this group
 * @param deps.belongs whether an item may join a group
 */
export function grouped<Item>(deps: {
  work: (items: Group<Item>) => Promise<() => Promise<void>>
  belongs: (item: Item, group: Group<Item>) => boolean
}): (item: Item) => Promise<void> {
  const { work, belongs } = deps
  let waiting: Waiting<Item>[] = []
  let isRunning = false

  const take = (): Waiting<Item>[] => {
    const [first, ...others] = waiting
    if (first === undefined) return []
    const group = [first]
    const items: Group<Item> = [first.item]
    waiting = others.filter((other) => {
      if (!belongs(other.item, items)) return true
      group.push(other)
      items.push(other.item)
      return false
    })
    return group
  }

  const runAlone = async ({ item, resolve }: Waiting<Item>): Promise<void> => {
    const begun = work([item])
    resolve(begun.then((finish) => finish()))
    await begun.catch(() => {})
  }

  const runGroup = async (group: Waiting<Item>[]): Promise<void> => {
    const [first, ...others] = group
    if (first === undefined) return
    if (others.length === 0) return runAlone(first)
    try {
      const finish = await work([first.item, ...others.map(({ item }) => item)])
      const done = finish()
      for (const { resolve } of group) resolve(done)
    } catch {
      await Promise.all(group.map(runAlone))
    }
  }

  const run = async (): Promise<void> => {
    isRunning = true
    for (let group = take(); group.length > 0; group = take()) await runGroup(group)
    isRunning = false
  }

  return (item) =>
    new Promise((resolve) => {
      waiting.push({ item, resolve })
      if (!isRunning) void run()
    })
}
