import { setTimeout as sleep } from 'node:timers/promises'

/** Lets requests run concurrently, but a move of the clock only alone. */
export type Gate = {
  /** Runs work concurrently with others. If `alone` work has begun, it waits for that. */
  pass: <Result>(work: () => Promise<Result>) => Promise<Result>
  /**
   * Runs work when no other work runs and `isQuiet` returns true; new work waits meanwhile. It begins in any case after
   * the maximum wait, because running work may itself depend on work that waits here. The caller makes one call at a
   * time.
   */
  alone: (work: () => void, isQuiet: () => Promise<boolean>) => Promise<void>
}

const pauseMilliseconds = 5

export function createGate({ maxWaitMilliseconds }: { maxWaitMilliseconds: number }): Gate {
  let opens: Promise<void> | undefined
  let running = 0
  let becomesIdle = () => {}

  return {
    pass: async (work) => {
      while (opens !== undefined) await opens
      running += 1
      try {
        return await work()
      } finally {
        running -= 1
        if (running === 0) becomesIdle()
      }
    },

    alone: async (work, isQuiet) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      opens = promise
      const waiting = new AbortController()
      const { signal } = waiting
      const idle = new Promise<void>((done) => {
        if (running === 0) done()
        else becomesIdle = done
      })
      const becomesQuiet = async (): Promise<void> => {
        await idle
        while (!signal.aborted && !(await isQuiet())) await sleep(pauseMilliseconds)
      }
      try {
        const limit = sleep(maxWaitMilliseconds, undefined, { signal }).catch(() => {})
        await Promise.race([becomesQuiet(), limit])
        work()
      } finally {
        waiting.abort()
        becomesIdle = () => {}
        opens = undefined
        resolve()
      }
    },
  }
}
