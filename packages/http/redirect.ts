/** The way to another address, for an endpoint that `produces: 'redirect'`. */
export type Redirect = {
  /** An absolute path of this service, such as `/sign/abc`, or a whole address (`https://…`). */
  location: string
  /** A cookie to remember, sent back to `path` and what lies below it, and to no script. */
  setCookie?: { name: string; value: string; path: string; maxAgeSeconds: number }
}

/**
 * The headers of a redirect.
 *
 * @throws Error for a location or a cookie that HTTP cannot carry: a fault of the handler.
 */
export function redirectHeaders({ location, setCookie }: Redirect, baseUrl: string): Record<string, string> {
  return {
    Location: addressOf(location, baseUrl),
    ...(setCookie && { 'Set-Cookie': cookieOf(setCookie, baseUrl) }),
  }
}

/** A path is completed, because it lies below the stage's path where the service has no domain of its own. */
function addressOf(location: string, baseUrl: string): string {
  const address = /^\/(?![/\\])/.test(location) ? `${baseUrl}${location}` : location
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new Error('A handler redirects to what is no address.')
  return new URL(address).href
}

function cookieOf(
  { name, value, path, maxAgeSeconds }: NonNullable<Redirect['setCookie']>,
  baseUrl: string,
): string {
  const { pathname, protocol } = new URL(`${baseUrl}${path}`)
  if (!/^[\w-]+$/.test(name) || !/^[\w.~+/=-]*$/.test(value) || /[;,\s]/.test(pathname))
    throw new Error('A handler sets a cookie that HTTP cannot carry.')
  const attributes = [`Path=${pathname}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Strict']
  // A laptop is reached by plain HTTP, where a secure cookie would not come back.
  const secure = protocol === 'https:' ? ['Secure'] : []
  return [`${name}=${value}`, ...attributes, ...secure].join('; ')
}
