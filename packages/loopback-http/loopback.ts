import type { IncomingMessage } from 'node:http'

/**
 * The reason why a request was probably not meant for this service by a program on this machine; undefined if it was.
 *
 * A page of another origin can send requests to every port of this machine. Its browser names the page's origin in
 * `Origin`, or the page's host in `Host`, even if that name now resolves to this machine (DNS rebinding).
 */
export function foreignTo({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (!namesLoopback(headers.host)) return 'The host is not this machine.'
  if (headers.origin !== undefined) return 'Pages of a browser are not served.'
  return undefined
}

/** Whether a program on this machine, or a browser without another page, sent the request directly, not through a proxy. */
export function isFromHere(headers: IncomingMessage['headers']): boolean {
  const isForwarded = Object.keys(headers).some(
    (name) => name === 'forwarded' || name.startsWith('x-forwarded'),
  )
  return !isForwarded && foreignTo({ headers }) === undefined
}

/** Whether a `Host` header names the loopback interface, by name or by address. */
export function namesLoopback(host: string | undefined): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host ?? '')
}
