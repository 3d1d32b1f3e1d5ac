import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '#kernel/log.ts'

/** A call as the gateway received it. */
export type ReceivedCall = {
  name: string
  request: Record<string, unknown>
  /** The form as received. */
  form: string
  headers: IncomingMessage['headers']
}

/** The script of a gateway: returns an answer, or writes to `response` itself and returns undefined. */
export type Script = (
  call: ReceivedCall,
  response: ServerResponse,
) => object | undefined | Promise<object | undefined>

/** A gateway that follows the script of a test. It stops at the end of the `using` block. */
export async function scriptedGateway(script: Script) {
  const calls: ReceivedCall[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const form = Buffer.concat(chunks).toString('latin1')
    const request = JSON.parse(Buffer.from(form.replace(/^j=/, ''), 'base64url').toString('utf8'))
    const name = incoming.url?.split('/').at(-1) ?? ''
    const call = { name, request, form, headers: incoming.headers }
    calls.push(call)
    const answer = await script(call, response)
    if (answer !== undefined) response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/api/`,
    calls,
    names: () => calls.map(({ name }) => name),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Everything that a log would show of an error: names, messages and stacks of the error and its causes. */
export function shownError(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return `${error.name} ${error.message} ${error.stack}\n${shownError(error.cause)}`
}

/** A log that keeps its lines. */
export function keptLog(): Log & {
  lines: { level: string; message: string; fields: Record<string, unknown> }[]
} {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = []
  const at =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      lines.push({ level, message, fields })
    }
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}
