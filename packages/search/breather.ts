import { setImmediate } from 'node:timers/promises'

/** Work without a pause of its own lets timers and other requests run after this time. */
const mostMilliseconds = 100

/** For a long loop: a function to call in each round. From time to time it lets timers and other requests run. */
export function breather(): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < mostMilliseconds) return
    await setImmediate()
    last = performance.now()
  }
}
