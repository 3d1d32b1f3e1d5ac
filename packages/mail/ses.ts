import { setTimeout as sleep } from 'node:timers/promises'
import { SESClient, SESServiceException, SendRawEmailCommand } from '@aws-sdk/client-ses'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { asciiEmail } from '#correspondence/address-schema.ts'
import type { Refusal } from '#correspondence/ports.ts'
import type { SendMail, SendOutcome } from '#correspondence/sending-ports.ts'
import { timeLeft } from '#kernel/time-limit.ts'

/**
 * Sends messages with Amazon SES, each at most once (M5).
 *
 * - `accepted`: SES accepted the message and returned its id.
 * - `refused`: nothing was sent. SES itself answered with an error and a status 4xx, or it throttled every attempt. Or
 *   SES was not called, because the request had too little time left or the stage sends no mail.
 * - `unknown`: in all other cases, because SES may have accepted the message: after a 5xx, a timeout, a failed
 *   connection, or an answer that is not from SES. Such an attempt is never repeated.
 *
 * A send takes at most 15 seconds. It takes less if the request has little time left, because the caller needs four
 * seconds to record the outcome. `MAIL_CONFIGURATION_SET` names the configuration set of the stage. Without it nothing
 * is sent, because SES would publish no events about the mail.
 */
export function sesSender(client: SESClient = createClient()): SendMail {
  return async ({ raw, from, recipients, tags }) => {
    const configurationSet = process.env.MAIL_CONFIGURATION_SET
    if (!configurationSet)
      return refused('This stage sends no mail: MAIL_CONFIGURATION_SET is not set, see infra/README.md.')
    const end = performance.now() + Math.min(maxMilliseconds, timeLeft() - recordingMilliseconds)
    if (end - performance.now() < minMilliseconds)
      return refused('The mail was not sent: the request had too little time left.')

    const send = async (): Promise<SendOutcome | Throttled> => {
      const command = new SendRawEmailCommand({
        Source: asciiEmail(from),
        Destinations: recipients.map(asciiEmail),
        RawMessage: { Data: raw },
        Tags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
        ConfigurationSetName: configurationSet,
      })
      const giveUp = new AbortController()
      const timer = setTimeout(() => giveUp.abort(), end - performance.now())
      try {
        const { MessageId } = await client.send(command, { abortSignal: giveUp.signal })
        if (MessageId) return { kind: 'accepted', provider_message_id: MessageId }
        return { kind: 'unknown', cause: new Error('SES answered without the id of the message.') }
      } catch (error) {
        return outcomeOf(error, from)
      } finally {
        clearTimeout(timer)
      }
    }

    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send()
      if (outcome.kind !== 'throttled') return outcome
      const pause = Math.random() * Math.min(maxPauseMilliseconds, firstPauseMilliseconds * 2 ** attempt)
      const hasTime = performance.now() + pause + minMilliseconds < end
      if (outcome.isFinal || attempt === maxAttempts || !hasTime) return refused(outcome.message)
      await sleep(pause)
    }
  }
}

/** SES throttled the attempt. `isFinal`: another attempt within seconds would fail, too. */
type Throttled = { kind: 'throttled'; message: string; isFinal: boolean }

const maxMilliseconds = 15_000

/** Reserved for recording the outcome before the request ends: the store waits up to four seconds for the table. */
const recordingMilliseconds = 4_000

/** With less time than this an attempt would probably end as `unknown`. */
const minMilliseconds = 2_000

const maxAttempts = 6
const firstPauseMilliseconds = 250
const maxPauseMilliseconds = 4_000

/**
 * The SDK does not retry. Each attempt opens a new connection: SES may have closed an idle one, which we would notice
 * only after writing a message to it. Then it would be unknown whether the message arrived.
 */
function createClient(): SESClient {
  const agent = { keepAlive: false, maxSockets: Number.POSITIVE_INFINITY }
  return new SESClient({
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({ connectionTimeout: 2_000, httpAgent: agent, httpsAgent: agent }),
  })
}

function outcomeOf(error: unknown, from: string): SendOutcome | Throttled {
  const code = definiteError(error)
  if (code === undefined) return { kind: 'unknown', cause: error }
  const message = error instanceof Error ? error.message : ''
  if (throttlingCodes.has(code))
    return { kind: 'throttled', message, isFinal: /daily message quota/i.test(message) }
  return refused(message, code === 'InvalidParameterValue' && isAboutRecipient(message, from))
}

/**
 * The code of an error that SES itself answered with a status 4xx. Undefined for every other error, such as the answer
 * of a proxy: it has no code, and does not say what SES did.
 */
function definiteError(error: unknown): string | undefined {
  if (!(error instanceof SESServiceException)) return undefined
  const status = error.$metadata.httpStatusCode ?? 0
  const code = (error as { Error?: { Code?: unknown } }).Error?.Code
  return status >= 400 && status < 500 && typeof code === 'string' && code !== '' ? code : undefined
}

const throttlingCodes = new Set(['Throttling', 'ThrottlingException', 'TooManyRequestsException'])

/**
 * SES has no error code for an address that it does not accept, only messages: `Missing final '@domain'`, `Domain
 * contains illegal character`, `Local address contains control or whitespace`, `Invalid domain name: 'x'`.
 */
function isAboutRecipient(message: string, from: string): boolean {
  return /\b(?:address|domain|local name|user name)\b/i.test(message) && !message.includes(from)
}

function refused(message: string, isAddress = false): { kind: 'refused'; refusal: Refusal } {
  return { kind: 'refused', refusal: { kind: isAddress ? 'address' : 'other', message } }
}
