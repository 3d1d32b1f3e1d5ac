/** The engine's reason why a segment cannot be used; undefined for another error. */
export function problemOf(error: unknown): string | undefined {
  return error instanceof Error && 'problem' in error ? String(error.problem) : undefined
}
