/**
 * Runs work with the same key one after the other, in the order of the calls, to avoid conflicts within one process. It
 * does not protect against other processes: writes must still be conditional.
 */
export function oneAfterAnother() {
  const lines = new Map<string, Promise<void>>()
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = (lines.get(key) ?? Promise.resolve()).then(work)
    const over = turn.then(
      () => {},
      () => {},
    )
    lines.set(key, over)
    try {
      return await turn
    } finally {
      if (lines.get(key) === over) lines.delete(key)
    }
  }
}
