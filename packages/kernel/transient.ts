/**
 * Whether an error of an AWS client may be temporary. It may be if its name is among `names`, the network failed, the
 * service is at fault (`$fault`), or the status is 429 or 5xx. The status matters if a proxy answers in another
 * format than the service, because then the client has no name for the error.
 */
export function isTransient(error: unknown, names: ReadonlySet<string>): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (names.has(error.name) || networkCodes.has(code)) return true
  const { $fault, $metadata } = error as { $fault?: string; $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode ?? 0
  return $fault === 'server' || status >= 500 || status === 429
}

/** The system's error codes if the other side is not found or not reached, or has closed the connection. */
const networkCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])
