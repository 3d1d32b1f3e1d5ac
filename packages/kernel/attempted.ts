/** The result of work; undefined if it throws. */
export function attempted<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
