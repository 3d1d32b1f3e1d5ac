/**
 * Returns a function that runs work as soon as fewer than `maxAtOnce` others run, in the order of the calls. It settles
 * like the work.
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
      // The place passes to the work that has waited longest, so that no later call takes it.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
