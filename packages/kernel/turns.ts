/**
 * Gives a function that runs work as soon as fewer than `maxAtOnce` others of it run, in the order in which they were
 * asked for. It settles as the work does.
 */
export function turns(maxAtOnce: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The place passes to the one who waits longest, so that nobody who comes later takes it.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
