/**
 * Whether what a client of a service threw may go away by itself: a name or system code among `names`, or a fault
 * that the service calls its own (`$fault` of the AWS SDK).
 */
export function isTransient(error: unknown, names: ReadonlySet<string>): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return names.has(error.name) || names.has(code) || ('$fault' in error && error.$fault === 'server')
}
