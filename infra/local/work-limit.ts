/** How much work may run at the same time, and how much may wait. */
export type WorkLimits = {
  maxAtOnce: number
  maxWaiting: number
  maxWaitMilliseconds: number
}

/** Too much work waits, or a wait took too long. */
export class Busy extends Error {}

export type WorkLimit = {
  /**
   * Runs the work when a place is free, in the order of arrival.
   *
   * @throws Busy, and errors of the work
   */
  run: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Limits how much work runs at the same time; the rest waits. */
export function createWorkLimit({ maxAtOnce, maxWaiting, maxWaitMilliseconds }: WorkLimits): WorkLimit {
  // A set keeps the order of insertion, and an entry that gives up can be removed at once.
  const waiting = new Set<() => void>()
  let working = 0

  const enter = async (): Promise<void> => {
    if (working >= maxAtOnce) await wait()
    else working += 1
  }
  // A free place is passed directly to the next waiter, so that a new request cannot take it in between.
  const leave = (): void => {
    const [admitNext] = waiting
    if (admitNext === undefined) working -= 1
    else admitNext()
  }
  const wait = (): Promise<void> => {
    if (waiting.size >= maxWaiting) throw new Busy(`${waiting.size} requests wait already.`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const admit = (): void => {
      clearTimeout(timer)
      waiting.delete(admit)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.delete(admit)
      reject(new Busy(`A request waited ${maxWaitMilliseconds} ms.`))
    }, maxWaitMilliseconds)
    waiting.add(admit)
    return promise
  }

  return {
    run: async (work) => {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
