import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { GatewayFunctions } from '#bea-wire/wire.ts'
import { isObject } from '#kernel/is-object.ts'
import { readAnswer } from './answer-text.ts'
import { type CallFault, GatewayFault } from './failures.ts'
import { type FormBody, formBody } from './form.ts'
import { errorText } from './redact.ts'

export type FunctionName = keyof GatewayFunctions

/** The address of the gateway, and the caller. */
export type Endpoint = {
  /** Ends in `/`; `https:`, or `http:` on this machine. */
  url: string
  /** The account identifier of the subscription: the header `bex-ident`. */
  ident: string
  /** Milliseconds for a call, from its start to the end of its answer. */
  timeLimits: CallLimits
  /** The longest answer, in bytes of its JSON. */
  answerLimits: CallLimits
}

/** A limit for each kind of call. */
export type CallLimits = { metadata: number; overview: number; message: number }

/** A JSON object with status 200 that is not a refusal. Its members are not checked yet. */
export type Answer = Record<string, unknown>

/** Calls a function of the gateway once. @throws GatewayFault */
export type Call = (
  name: FunctionName,
  request: object,
  signal: AbortSignal,
  observe?: (answer: Answer) => void,
) => Promise<Answer>

/**
 * Calls functions of the gateway over HTTP, with limits for time and size. It follows no redirects, verifies TLS, and
 * repeats nothing.
 *
 * @throws TypeError for a URL that is neither `https:` nor `http:` on this machine
 */
export function transport({ url, ident, timeLimits, answerLimits }: Endpoint): Call {
  const base = checkedBase(url)
  const isSecure = base.protocol === 'https:'
  const request = isSecure ? httpsRequest : httpRequest
  const Agent = isSecure ? HttpsAgent : HttpAgent
  const kept = new Agent({ keepAlive: true, maxSockets: 8 })

  return async (name, requestObject, signal, observe) => {
    const size = sizeOf(name)
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeLimits[size])])
    const fault = (kind: CallFault['kind'], reason: string, more: Partial<CallFault>, cause?: unknown) =>
      new GatewayFault({ kind, function: name, reason, ...more }, cause)
    if (until.aborted) throw fault('not_connected', 'The caller gave up.', {}, until.reason)

    const body = formBody(requestObject)
    let isConnected = false
    const outgoing = request(new URL(name, base), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': body.bytes,
        'Accept-Encoding': 'identity',
        'bex-ident': ident,
      },
      signal: until,
      // The server may close a keep-alive connection at any moment, so only repeatable calls use one.
      agent: isRepeatable(name) ? kept : false,
    })
    outgoing.on('socket', (socket) => {
      if (outgoing.reusedSocket) isConnected = true
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true))
    })
    const broken = (error: unknown) => {
      const isLate = until.aborted
      if (!isConnected) return fault('not_connected', 'No connection was made.', { isLate }, error)
      return fault('no_answer', isLate ? 'No answer in time.' : 'The connection broke.', { isLate }, error)
    }

    const [incoming] = await Promise.all([answerTo(outgoing), send(outgoing, body)]).catch((error) => {
      outgoing.destroy()
      throw broken(error)
    })
    const status = incoming.statusCode ?? 0
    const read = readAnswer(incoming, answerLimits[size])
    const content = await read.catch((error: unknown) => {
      incoming.destroy()
      const isOurs = error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError
      if (!isOurs || until.aborted) throw broken(error)
      if (error instanceof RangeError)
        throw fault('unreadable', 'The answer is too long.', { status, isTooLong: true })
      // Errors of JSON quote the input.
      throw fault('unreadable', 'The answer is not JSON.', { status })
    })
    if (!isObject(content)) throw fault('unreadable', 'The answer is not a JSON object.', { status })
    observe?.(content)
    if (isRefusal(content)) {
      const text = errorText(content.error, requestObject)
      throw fault('refused', 'The gateway refused the call.', { status, text })
    }
    if (status !== 200) throw fault('unreadable', 'The answer has another status than 200.', { status })
    return content
  }
}

function checkedBase(url: string): URL {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(base.hostname)
  if (base.protocol === 'https:' || (base.protocol === 'http:' && isHere)) return base
  throw new TypeError('The URL of the beA gateway must begin with https:')
}

/** Which limits apply to a function. */
function sizeOf(name: FunctionName): keyof CallLimits {
  if (name === 'bea_get_folderoverview') return 'overview'
  return /^bea_(get_message|save_message|send_message|send_message_validation)$/.test(name)
    ? 'message'
    : 'metadata'
}

/** Reads may be repeated; a step of a login or a send never. */
export function isRepeatable(name: FunctionName): boolean {
  return /_get_|^bea_(search|check_session)$/.test(name)
}

/** The answer to a request. It rejects also if the server switches protocols, which emits no `response`. */
function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.on('close', () => reject(new Error('The connection ended without an answer.')))
  })
}

/**
 * Bodies up to this size, as in most requests, are written at once: a stream would take longer than the rest of the
 * call.
 */
const maxBytesAtOnce = 16 * 1024

/** Writes the body. If the server answers before it has read everything, its answer counts. */
async function send(outgoing: ClientRequest, { bytes, pieces }: FormBody): Promise<void> {
  if (bytes <= maxBytesAtOnce) {
    outgoing.end(Buffer.concat([...pieces]))
    return
  }
  const answered = new Promise<void>((resolve) => outgoing.once('response', () => resolve()))
  await Promise.race([pipeline(Readable.from(pieces), outgoing), answered])
}

/** The type of `error` is not specified; empty values are not a refusal. */
function isRefusal({ error }: Answer): boolean {
  return !(error === undefined || error === null || error === false || error === '' || error === 0)
}
