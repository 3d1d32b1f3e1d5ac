import type { Socket } from 'node:net'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { type AllowedAddresses, addressesOf, RefusedAddress } from './address.ts'
import type { Address } from './look-up.ts'
import { autoSelectFamilyAttemptTimeout, lookupAmong } from './lookup-among.ts'

/** The part of an answer that callers get: never its body, which an internal service could have sent. */
export type PostAnswer = { status: number; retryAfter: string | null }

/** Sends texts to one address. */
export type GuardedPoster = {
  /**
   * Sends a text. It resolves as soon as the status has arrived, and does not follow redirects.
   *
   * @throws RefusedAddress; TimeLimitExceeded; Error for every failure of the network
   */
  post: (body: string, headers: Record<string, string>) => Promise<PostAnswer>
  /** Closes all connections, and ends attempts to connect. */
  close: () => void
}

/** Thrown if no status came within the time limit. */
export class TimeLimitExceeded extends Error {}

/** The body of an answer is read up to these limits. */
const maxBodyOctets = 16_384
const bodyMilliseconds = 1_000

/**
 * Sends texts to an address that a user has entered. It looks up the name once, and connects only to the addresses that
 * it has checked (`addressesOf`), even if the name resolves to another address later.
 *
 * @param options.milliseconds the time limit of a request, from the look-up to the status
 * @param options.connections how many connections may be open at once; they are reused
 */
export function guardedPoster(
  address: string,
  {
    milliseconds,
    connections = 1,
    resolve = addressesOf,
    ...allowed
  }: AllowedAddresses & { milliseconds: number; connections?: number; resolve?: typeof addressesOf },
): GuardedPoster {
  const url = new URL(address)
  const isPlain = url.protocol === 'http:'
  /** Sockets that are not connected yet, and since when. */
  const connecting = new Map<Socket, number>()
  let isClosed = false
  let lookedUp: Promise<Address[]> | undefined
  let pool: Pool | undefined

  const addresses = async (): Promise<Address[]> => {
    if (url.protocol !== 'https:' && !(isPlain && (allowed.allowLoopback || allowed.allowPrivate)))
      throw new RefusedAddress('Only https is allowed.')
    lookedUp ??= resolve(url.hostname, allowed).catch((error: unknown) => {
      // The next request asks again.
      lookedUp = undefined
      throw error
    })
    const { promise: timeIsOver, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new TimeLimitExceeded()), milliseconds)
    try {
      return await Promise.race([lookedUp, timeIsOver])
    } finally {
      clearTimeout(timer)
    }
  }

  const poolTo = (among: Address[]) => {
    const lookup = lookupAmong(among)
    // Longer than the time limit of a request, which ends the attempt first.
    const timeout = milliseconds + 1_000
    const options = { lookup, autoSelectFamilyAttemptTimeout, timeout, allowH2: false }
    const open = buildConnector(options as buildConnector.BuildOptions)
    const connect: buildConnector.connector = (to, callback) => {
      // The types do not say that it returns the socket.
      const socket = open(to, (...outcome) => {
        connecting.delete(socket)
        callback(...outcome)
      }) as unknown as Socket
      connecting.set(socket, performance.now())
    }
    return new Pool(url.origin, { connections, connect, headersTimeout: 0, bodyTimeout: 0 })
  }

  /** Ends the attempts to connect that have lasted at least this long, so that the next request begins a new one. */
  const stopConnecting = (minMilliseconds: number): void => {
    const now = performance.now()
    for (const [socket, since] of connecting)
      if (now - since >= minMilliseconds) socket.destroy(new TimeLimitExceeded())
  }

  return {
    post: async (body, headers) => {
      const begun = performance.now()
      if (pool === undefined) {
        const among = await addresses()
        if (!isClosed) pool ??= poolTo(among)
      }
      const left = milliseconds - (performance.now() - begun)
      if (pool === undefined || isClosed) throw new Error('This poster is closed.')
      if (left <= 0) throw new TimeLimitExceeded()
      const request = { method: 'POST', path: url.pathname + url.search, headers, body } as const
      return sendWithin(pool, request, left, () => stopConnecting(0.9 * left))
    },
    close: () => {
      isClosed = true
      stopConnecting(0)
      void pool?.destroy().catch(() => {})
    },
  }
}

/**
 * Sends a request. Reads a short body of the answer to its end, so that the connection can be used again. A longer or
 * slower body ends the connection.
 *
 * @param stopConnecting is called if the time limit is over before there is a connection
 */
function sendWithin(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  milliseconds: number,
  stopConnecting: () => void,
): Promise<PostAnswer> {
  return new Promise((answered, failed) => {
    let isOver = false
    let end = stopConnecting
    let timer = setTimeout(() => {
      isOver = true
      failed(new TimeLimitExceeded())
      end()
    }, milliseconds)
    let octets = 0
    pool.dispatch(request, {
      onRequestStart: (controller) => {
        end = () => controller.abort(new TimeLimitExceeded())
        // The time was over before there was a connection: nothing is sent.
        if (isOver) end()
      },
      onResponseStart: (controller, status, { 'retry-after': retryAfter = null }) => {
        if (isOver || status < 200) return
        clearTimeout(timer)
        timer = setTimeout(() => controller.abort(new TimeLimitExceeded()), bodyMilliseconds)
        answered({ status, retryAfter: [retryAfter].flat()[0] ?? null })
      },
      onResponseData: (controller, chunk) => {
        octets += chunk.length
        if (octets > maxBodyOctets) controller.abort(new Error('The answer is too large.'))
      },
      onResponseEnd: () => clearTimeout(timer),
      onResponseError: (_, error) => {
        clearTimeout(timer)
        failed(error)
      },
    })
  })
}
