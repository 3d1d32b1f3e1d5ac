import { setTimeout } from 'node:timers/promises'

/**
 * Pauses between repeated checks, from 50 ms to 400 ms: an early result is noticed early, and slow work is not slowed
 * down by the checks.
 */
export async function* growingPauses(): AsyncGenerator<void, never> {
  for (let milliseconds = 50; ; milliseconds = Math.min(400, milliseconds * 1.3)) {
    yield
    await setTimeout(milliseconds)
  }
}
