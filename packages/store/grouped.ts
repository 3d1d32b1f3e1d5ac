type Group<Item> = [Item, ...Item[]]

/** An item that waits for its group, and whoever waits for it. */
type Waiting<Item> = { item: Item; resolve: (done: Promise<void>) => void }

/**
 * Runs work for single items in groups: while one group is under way, new items wait and make up the next one. So an
 * item that comes alone is not delayed, and many share the calls of their group.
 *
 * If the work of a group fails, it is tried for each of its items by itself, and each gets its own error. So it must
 * bear a repetition.
 *
 * @param deps.work resolves when the next group may begin, with a function that does what the items of this one still
 * wait for
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
