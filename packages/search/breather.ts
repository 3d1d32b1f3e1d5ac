import { setImmediate } from 'node:timers/promises'

/** After this time, work without a pause lets timers and other requests run. */
const mostMilliseconds = 100

/** Returns a function to call in each round of a long loop. From time to time it lets timers and other requests run. */
export function breather(): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < mostMilliseconds) return
    await setImmediate()
    last = performance.now()
  }
}
