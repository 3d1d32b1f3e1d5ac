/**
 * Work that runs beside whoever begins it, within bounds: so many pieces at a time, and so much of whatever they weigh.
 */
export function workBeside({ maxAtOnce, maxWeight }: { maxAtOnce: number; maxWeight: number }) {
  const running = new Set<Promise<void>>()
  let weightRunning = 0
  let failure: { error: unknown } | undefined

  const throwFailure = () => {
    if (failure !== undefined) throw failure.error
  }

  return {
    /** Begins a piece of work. It never waits: ask for `room` before. */
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

    /** Waits until another piece may begin. @throws what the first piece that failed has thrown */
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
