import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '#loopback-http/listen.ts'
import { reasonToRefuse } from '#loopback-http/loopback.ts'
import { readBody } from '#loopback-http/read-body.ts'
import { sendUnread } from '#loopback-http/send-unread.ts'
import type { Control } from '../control/control.ts'
import { asAnotherUser, type Fault } from '../faults/faults.ts'
import { readForm } from '../form.ts'
import { type FunctionName, requests } from '../functions/requests.ts'
import { GatewayError } from '../gateway-error.ts'
import { errorOfFault, type Simulation } from '../simulation.ts'

export type ServerOptions = {
  simulation: Simulation
  control: Control
  /** The value of the header `bex-ident`. */
  ident: string
  /** A free port by default. */
  port: number
}

export type Server = { url: string; close: () => Promise<void> }

/** 60 MB of files become 107 MB here: base64 of JSON with base64. */
const maxBodyBytes = 160 * 1024 * 1024

/**
 * Serves the gateway on the loopback interface, and `POST /control` beside it. It refuses requests that a page in a
 * browser could send: requests with another `Host` or with an `Origin`. A fault in one request does not affect
 * others.
 *
 * @throws Error if the port is taken
 */
export async function serve({ simulation, control, ident, port }: ServerOptions): Promise<Server> {
  const stopping = new AbortController()
  const server = createServer((request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    respond(request, response, { simulation, control, ident, signal: stopping.signal }).catch(
      (error: unknown) => {
        if (request.destroyed && !request.complete) return
        if (stopping.signal.aborted) return
        console.error('The local beA gateway failed:', error)
        if (response.headersSent) response.destroy()
        else send(response, 500, { error: 'Internal error.' })
      },
    )
  })
  server.on('clientError', (_, socket) => socket.destroy())
  const { url, close } = await listen(server, port)
  return {
    url: `${url}/`,
    close: () => {
      stopping.abort()
      return close()
    },
  }
}

type Context = Omit<ServerOptions, 'port'> & { signal: AbortSignal }

async function respond(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const refusal = refusalOf(request, context)
  const refuse = ({ status, message }: GatewayError) =>
    sendUnread(request, response, {
      status,
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ error: message }),
    })
  if (refusal !== undefined) return refuse(refusal)
  const body = await readBody(request, maxBodyBytes)
  if (body === undefined) return refuse(new GatewayError('The body is too large.', 413))
  const name = nameOf(request)
  if (name === 'control') return answerControl(response, context.control, body)
  if (isFunction(name)) return answer(response, context, name, body)
  send(response, 404, { error: `There is no function ${name}.` })
}

function refusalOf(request: IncomingMessage, { ident }: Context): GatewayError | undefined {
  const { headers, method } = request
  const foreign = reasonToRefuse(request)
  if (foreign !== undefined) return new GatewayError(foreign, 403)
  if (method !== 'POST') return new GatewayError('Only POST is available.', 405)
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (nameOf(request) === 'control')
    return type === 'application/json' ? undefined : new GatewayError('The content must be JSON.', 415)
  if (type !== 'application/x-www-form-urlencoded')
    return new GatewayError('The content must be a form.', 415)
  return headers['bex-ident'] === ident ? undefined : new GatewayError('The bex-ident is not known.', 403)
}

/** The last segment of the path. */
function nameOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0]?.split('/').at(-1) ?? ''
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(requests, name)
}

async function answerControl(response: ServerResponse, control: Control, body: Buffer): Promise<void> {
  try {
    send(response, 200, await control.run(JSON.parse(body.toString('utf8'))))
  } catch (error) {
    send(response, 400, { error: error instanceof Error ? error.message : String(error) })
  }
}

async function answer(
  response: ServerResponse,
  { simulation, control, signal }: Context,
  name: FunctionName,
  body: Buffer,
): Promise<void> {
  const { behaviour, sessions } = simulation
  let fault: Fault | undefined
  try {
    const request = readForm(body)
    control.note(name)
    fault = simulation.faultOf(name, request)
    // A slow gateway continues although the caller has given up.
    if (fault?.fault === 'slow') await sleep(fault.milliseconds, undefined, { signal })
    if (fault?.fault === 'timeout') return
    if (fault?.fault === 'connection_cut') return void response.destroy()
    if (fault?.fault === 'html') return sendText(response, 200, 'text/html', page)
    if (fault?.fault === 'http_500') return sendText(response, 500, 'text/plain', 'Internal Server Error')
    if (fault?.fault === 'missing_members') return send(response, 200, {})
    if (fault?.fault === 'session_ended') sessions.endAll()
    const refused = fault && errorOfFault(fault)
    if (refused !== undefined) throw refused
    const result = await simulation.call(name, request)
    if (fault?.fault === 'answer_lost') return void response.destroy()
    if (fault?.fault === 'half_json') {
      const text = JSON.stringify(result)
      return sendText(response, 200, 'application/json', text.slice(0, text.length / 2))
    }
    send(response, 200, fault?.fault === 'other_user' ? asAnotherUser(result) : result)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const isObject = fault?.fault === 'error_object' || behaviour.error_shape === 'object'
    const { message, status } = error
    send(response, status === 200 ? behaviour.error_status : status, {
      error: isObject ? { code: '9999', message } : message,
    })
  }
}

const page = '<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>'

function send(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, 'application/json; charset=utf-8', JSON.stringify(body))
}

function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text)
}
