import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { readForm } from '#infra/local/emulators/query-protocol.ts'
import { type Ses, startSes } from '#infra/local/emulators/ses.ts'
import type { Service } from './service.ts'

/**
 * The treatment of a message. `after`: milliseconds until it is accepted. `take`: whether it is accepted at all.
 * `answer`: the answer, sent `answerAfter` milliseconds later; `none` keeps the connection open, `drop` closes it.
 */
export type MailFault = {
  take: boolean
  after?: number
  answer: 'as SES' | 'none' | 'drop' | { status: number; type?: string; body: string }
  answerAfter?: number
}

/** The local SES behind a proxy that loses, delays and refuses messages as configured. */
export type FaultySes = {
  /** For `AWS_ENDPOINT_URL_SES`. */
  url: string
  /** The fault for a message to these recipients; `attempt` counts from 1. May be set at any time. */
  fault: (recipients: string[], attempt: number) => MailFault
  /** The recipients of every message that it received. */
  asked: string[][]
  /**
   * Writes the messages for this service into its folder, and their events into its queue, unless they are kept until
   * `emitAgain`. Call it after each start, and `vi.unstubAllEnvs` before the next.
   */
  serve: (service: Service, options?: { keepEvents: boolean }) => Promise<void>
  /** Emits the events of all messages in the folder again, since SES may repeat events and send them late. */
  emitAgain: () => Promise<void>
  close: () => Promise<void>
}

export const taken: MailFault = { take: true, answer: 'as SES' }

/** Starts the proxy. Messages are stored after `serve` was called. */
export async function faultySes(): Promise<FaultySes> {
  let ses: Ses | undefined
  let queueUrl: string | undefined
  const attempts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const body = await bytesOf(request)
    const form = readForm(body) ?? new Map<string, string>()
    const recipients = [...form]
      .filter(([name]) => name.startsWith('Destinations.'))
      .map(([, value]) => value)
    const attempt = (attempts.get(recipients.join()) ?? 0) + 1
    attempts.set(recipients.join(), attempt)
    const { take, after = 0, answer, answerAfter = 0 } = self.fault(recipients, attempt)
    // The fault is already chosen: a test that waits for this message finds it here.
    self.asked.push(recipients)
    await sleep(after)
    const given = take ? await forward(ses?.endpoint ?? '', request, body) : undefined
    if (answer === 'none') return
    if (answer === 'drop') return void request.socket.destroy()
    await sleep(answerAfter)
    if (answer !== 'as SES') return end(response, answer)
    if (given === undefined) throw new Error('SES cannot answer for a message that it was not given.')
    end(response, given)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const self: FaultySes = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: () => taken,
    asked: [],
    serve: async ({ dataDir, environment }, { keepEvents } = { keepEvents: false }) => {
      await ses?.close()
      // These lead to the queue of its events. They would mislead another service that is started here.
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
      queueUrl = environment.MAIL_EVENTS_QUEUE_URL
      if (keepEvents) vi.stubEnv('MAIL_EVENTS_QUEUE_URL', '')
      ses = await startSes({
        folder: join(dataDir, 'mail'),
        credentials: {
          accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
          secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
        },
        configurationSet: environment.MAIL_CONFIGURATION_SET ?? '',
      })
    },
    emitAgain: async () => {
      vi.stubEnv('MAIL_EVENTS_QUEUE_URL', queueUrl)
      await ses?.emitAgain()
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await ses?.close()
    },
  }
  return self
}

type Given = { status: number; type?: string; body: string }

/** The signature covers the header Host, so it stays as it is. */
function forward(endpoint: string, { headers }: IncomingMessage, body: Buffer): Promise<Given> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(endpoint, { method: 'POST', headers }, async (answer) =>
      resolve({
        status: answer.statusCode ?? 0,
        type: answer.headers['content-type'] ?? '',
        body: (await bytesOf(answer)).toString(),
      }),
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function end(response: ServerResponse, { status, type = 'text/xml', body }: Given): void {
  response.on('error', () => {})
  response.writeHead(status, { 'content-type': type })
  response.end(body)
}
