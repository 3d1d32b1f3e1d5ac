/** How many may work at once, and what becomes of the others. */
export type WorkLimits = {
  maxAtOnce: number
  maxWaiting: number
  maxWaitMilliseconds: number
}

/** Nobody else may wait, or a wait took too long. */
export class Busy extends Error {}

export type WorkLimit = {
  /**
   * Does the work when there is a place for it. Who waits is served in the order of arrival.
   *
   * @throws Busy, and what the work throws
   */
  run: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Lets so many work at once and the rest wait. */
export function createWorkLimit({ maxAtOnce, maxWaiting, maxWaitMilliseconds }: WorkLimits): WorkLimit {
  // A set keeps the order of insertion, and who gives up leaves it at once.
  const waiting = new Set<() => void>()
  let working = 0

  const enter = async (): Promise<void> => {
    if (working >= maxAtOnce) await wait()
    else working += 1
  }
  // The place of who leaves goes to the next directly: nobody who comes in between can take it.
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
