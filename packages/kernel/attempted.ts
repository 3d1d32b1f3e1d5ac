/** Returns the result of `work`, or undefined if it throws. */
export function attempted<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
