import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { addressesOf, RefusedAddress } from './address.ts'
import { autoSelectFamilyAttemptTimeout, lookupAmong } from './lookup-among.ts'

/** The permissions and the time limit of a guarded fetch. */
export type GuardedFetchOptions = {
  /** Whether it may connect to private networks, and to servers without TLS. */
  allowPrivate: boolean
  /** The time limit of all requests of one fetch function together. It begins when `guardedFetch` is called. */
  milliseconds: number
  /** The time limit of each connection attempt, including its TLS handshake; tests shorten it. */
  connectMilliseconds?: number
  /** Looks up names; tests replace it. */
  resolve?: typeof addressesOf
}

const maxRedirects = 5

/** The size limit of all answers to one fetch function together. */
const maxOctets = 2_000_000

/**
 * A `fetch` for addresses that users enter. It resolves and checks the host (`addressesOf`), connects only to the
 * checked addresses, follows redirects with the same checks, and has a time and a size limit. It does not send the
 * header `Authorization` to another origin after a redirect.
 *
 * @throws RefusedAddress, also for a redirect; Error for an exceeded limit and for every failure of the network
 */
export function guardedFetch(options: GuardedFetchOptions): typeof fetch {
  const { allowPrivate, milliseconds, connectMilliseconds = 5_000, resolve = addressesOf } = options
  const signal = AbortSignal.timeout(milliseconds)
  let octets = 0
  const countOctets = (size: number) => {
    octets += size
    if (octets > maxOctets) throw new Error('The answer is too large.')
  }

  const fetchOne = async (url: URL, init: RequestInit, headers: Headers): Promise<Response> => {
    if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
      throw new RefusedAddress('Only https is allowed.')
    const addresses = await Promise.race([resolve(url.hostname, { allowPrivate }), rejectionAtAbort(signal)])
    const body = bodyOf(init)
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const connection = { lookup: lookupAmong(addresses), autoSelectFamilyAttemptTimeout }
    const outgoing = send(url, {
      method: init.method ?? 'GET',
      headers: { ...Object.fromEntries(headers), 'Accept-Encoding': 'identity' },
      signal,
      // No connection is reused, because its address may have been checked for another name.
      agent: false,
      ...connection,
    })
    const connecting = setTimeout(
      () => outgoing.destroy(new Error('The server could not be reached in time.')),
      connectMilliseconds,
    )
    const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect'
    outgoing.on('socket', (socket) => socket.once(connected, () => clearTimeout(connecting)))
    outgoing.on('close', () => clearTimeout(connecting))
    const answer = answerTo(outgoing)
    outgoing.end(body)
    return responseOf(url, await answer, countOctets)
  }

  return async (input, init = {}) => {
    let url = new URL(input instanceof Request ? input.url : input)
    let request = init
    let headers = new Headers(init.headers)
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetchOne(url, request, headers)
      const location = response.headers.get('location')
      if (!isRedirect(response.status) || location === null || init.redirect === 'manual') return response
      if (redirects === maxRedirects) throw new Error('Too many redirects.')
      const next = new URL(location, url)
      if (next.origin !== url.origin) {
        headers = new Headers(headers)
        headers.delete('authorization')
      }
      if (response.status === 303) request = { ...request, method: 'GET', body: null }
      url = next
    }
  }
}

/** The answer to a request. It also rejects if the server switches protocols, which emits no `response`. */
function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.on('close', () => reject(new Error('The connection ended without an answer.')))
  })
}

/** Rejects when the signal aborts, for a wait that cannot be cancelled, such as the look-up of a name. */
function rejectionAtAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function bodyOf({ body }: RequestInit): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string') return body
  throw new Error('Only a text can be sent as a body.')
}

/** Reads the whole answer. `countOctets` throws if there are too many, which ends the connection. */
async function responseOf(
  url: URL,
  incoming: IncomingMessage,
  countOctets: (octets: number) => void,
): Promise<Response> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) {
    countOctets(chunk.length)
    chunks.push(chunk)
  }
  const status = incoming.statusCode ?? 500
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  const mayHaveBody = status >= 200 && ![204, 205, 304].includes(status)
  const response = new Response(mayHaveBody ? Buffer.concat(chunks) : null, {
    status,
    statusText: incoming.statusMessage ?? '',
    headers,
  })
  Object.defineProperty(response, 'url', { value: url.href })
  return response
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}
