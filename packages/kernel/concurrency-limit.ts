/**
 * Returns a function that runs at most `maxAtOnce` pieces of work at a time, in the order of the calls. Its promise
 * settles like the promise of the work.
 */
export function concurrencyLimit(
  maxAtOnce: number,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The place passes to the work that has waited longest, so that no later call takes it.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
