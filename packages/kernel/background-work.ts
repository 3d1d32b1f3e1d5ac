/**
 * Work that runs in the background within limits: at most `maxAtOnce` pieces at a time. Another piece may begin while
 * the total weight is at most `maxWeight`, so the last one may exceed it.
 */
export function backgroundWork({ maxAtOnce, maxWeight }: { maxAtOnce: number; maxWeight: number }) {
  const running = new Set<Promise<void>>()
  let weightRunning = 0
  let failure: { error: unknown } | undefined

  const throwFailure = () => {
    if (failure !== undefined) throw failure.error
  }

  return {
    /** Begins a piece of work. It never waits: call `room` first. */
    begin(work: () => Promise<void>, weight: number): void {
      weightRunning += weight
      const done = work()
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => {
          weightRunning -= weight
          running.delete(done)
        })
      running.add(done)
    },

    /** Waits until another piece may begin. @throws the error of the first piece that failed */
    async room(): Promise<void> {
      while (failure === undefined && (running.size >= maxAtOnce || weightRunning > maxWeight))
        await Promise.race(running)
      throwFailure()
    },

    /** Waits until all pieces have ended, also after one has failed. @throws as `room` */
    async end(): Promise<void> {
      while (running.size > 0) await Promise.all(running)
      throwFailure()
    },
  }
}
