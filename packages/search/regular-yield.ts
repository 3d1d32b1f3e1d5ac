import { setImmediate } from 'node:timers/promises'

/** After this time a loop yields. */
const maxMilliseconds = 100

/**
 * Returns a function to call in each round of a long loop. At most every 100 milliseconds it yields to the event loop,
 * so that timers and other requests run.
 */
export function regularYield(): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < maxMilliseconds) return
    await setImmediate()
    last = performance.now()
  }
}
