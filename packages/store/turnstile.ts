/**
 * Lets work of one process that would only get in its own way take turns, per key, in the order it came. Against
 * other processes it protects nothing: what is written must still be conditional.
 */
export function turnstile() {
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
