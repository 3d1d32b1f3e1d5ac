import { setTimeout } from 'node:timers/promises'

/**
 * Pauses between questions for the same thing, from 50 ms to 400 ms: what comes soon is seen soon, and what takes long is not
 * slowed down by the questions.
 */
export async function* growingPauses(): AsyncGenerator<void, never> {
  for (let milliseconds = 50; ; milliseconds = Math.min(400, milliseconds * 1.3)) {
    yield
    await setTimeout(milliseconds)
  }
}
