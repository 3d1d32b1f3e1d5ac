/** This release must not use the stored data: a newer release has written it, or it must be upgraded first. */
export class WrongRelease extends Error {}

/** Whether an error is a `WrongRelease`, or was caused by one. */
export function isOfWrongRelease(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth += 1) {
    if (current instanceof WrongRelease) return true
    current = current.cause
  }
  return false
}
