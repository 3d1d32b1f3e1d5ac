/** The reason why a segment cannot be used, as the engine says it; undefined for another error. */
export function problemOf(error: unknown): string | undefined {
  return error instanceof Error && 'problem' in error ? String(error.problem) : undefined
}
