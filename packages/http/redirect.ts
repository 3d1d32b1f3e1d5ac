/** A redirect, for an endpoint that `produces: 'redirect'`. */
export type Redirect = {
  /** An absolute path of this service, such as `/sign/abc`, or a whole address (`https://…`). */
  location: string
  /** A cookie to set. The browser sends it to `path` and all paths below it, and scripts cannot read it. */
  setCookie?: { name: string; value: string; path: string; maxAgeSeconds: number }
}

/**
 * The headers of a redirect.
 *
 * @throws Error if the location or the cookie is invalid, which is a fault of the handler.
 */
export function redirectHeaders({ location, setCookie }: Redirect, baseUrl: string): Record<string, string> {
  return {
    Location: addressOf(location, baseUrl),
    ...(setCookie && { 'Set-Cookie': cookieOf(setCookie, baseUrl) }),
  }
}

/** Completes a path with the base URL. Without a domain, the base URL includes the path of the stage. */
function addressOf(location: string, baseUrl: string): string {
  const address = /^\/(?![/\\])/.test(location) ? `${baseUrl}${location}` : location
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new Error('A handler redirects to an invalid address.')
  return new URL(address).href
}

function cookieOf(
  { name, value, path, maxAgeSeconds }: NonNullable<Redirect['setCookie']>,
  baseUrl: string,
): string {
  const { pathname, protocol } = new URL(`${baseUrl}${path}`)
  if (!/^[\w-]+$/.test(name) || !/^[\w.~+/=-]*$/.test(value) || /[;,\s]/.test(pathname))
    throw new Error('A handler sets an invalid cookie.')
  const attributes = [`Path=${pathname}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Strict']
  // On a laptop the service uses plain HTTP, and a browser would not return a secure cookie.
  const secure = protocol === 'https:' ? ['Secure'] : []
  return [`${name}=${value}`, ...attributes, ...secure].join('; ')
}
