/**
 * Whether an error of an AWS client may go away by itself: its name is among `names`, the network failed, the service
 * calls the fault its own (`$fault`), or the answer had the status 429 or 5xx. The status counts where a proxy
 * answers in another format than the service's, so that the client knows no name for the error.
 */
export function isTransient(error: unknown, names: ReadonlySet<string>): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (names.has(error.name) || networkCodes.has(code)) return true
  const { $fault, $metadata } = error as { $fault?: string; $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode ?? 0
  return $fault === 'server' || status >= 500 || status === 429
}

/** What the system says where the other side is not found or not reached, or has ended the connection. */
const networkCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])
