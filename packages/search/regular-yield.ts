import { setImmediate } from 'node:timers/promises'

/** The maximum time without a yield. */
const maxMilliseconds = 100

/**
 * Returns a function to call in each round of a long loop. If the last call that yielded to the event loop was long
 * ago, it yields again, so that timers and other requests run.
 */
export function regularYield(): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < maxMilliseconds) return
    await setImmediate()
    last = performance.now()
  }
}
