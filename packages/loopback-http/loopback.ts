import type { IncomingMessage } from 'node:http'

/**
 * Why a request probably comes from a web page of another origin, and must be refused; undefined if it does not.
 *
 * Such a page can send requests to every port of this machine. A POST has the page's origin in `Origin`. With DNS
 * rebinding, the name of the page's own host resolves to this machine, and that name is in `Host`. A simple GET to
 * 127.0.0.1 has neither and is not recognised, but the page cannot read its answer.
 */
export function reasonToRefuse({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (!namesLoopback(headers.host)) return 'The host is not this machine.'
  if (headers.origin !== undefined) return 'Requests of web pages are not served.'
  return undefined
}

/** Whether the request came without a proxy, names the loopback interface, and has no `Origin`. */
export function isDirectAndLocal(headers: IncomingMessage['headers']): boolean {
  const isForwarded = Object.keys(headers).some(
    (name) => name === 'forwarded' || name.startsWith('x-forwarded'),
  )
  return !isForwarded && reasonToRefuse({ headers }) === undefined
}

/** Whether a `Host` header names the loopback interface, by name or by address. */
export function namesLoopback(host: string | undefined): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host ?? '')
}
