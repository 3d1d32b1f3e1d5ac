import type { IncomingMessage } from 'node:http'

/**
 * Why a request does not come from a program on this machine that means this service; undefined if it does.
 *
 * A page of another origin can send requests to every port of this machine. Its browser names the page in `Origin`, or
 * names in `Host` what the page was loaded from, also after the name was made to point to this machine (DNS rebinding).
 */
export function foreignTo({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (!namesLoopback(headers.host)) return 'The host is not this machine.'
  if (headers.origin !== undefined) return 'Pages of a browser are not served.'
  return undefined
}

/** Whether a `Host` header names the loopback interface, by name or by address. */
export function namesLoopback(host: string | undefined): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host ?? '')
}
