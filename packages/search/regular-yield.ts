import { setImmediate } from 'node:timers/promises'

const maxMilliseconds = 100

/**
 * Returns a function to call in each iteration of a long loop. If 100 milliseconds have passed, it yields to the event
 * loop, so that timers run.
 */
export function regularYield(): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < maxMilliseconds) return
    await setImmediate()
    last = performance.now()
  }
}
