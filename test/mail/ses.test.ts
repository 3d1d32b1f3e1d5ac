import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SendOutcome } from '#correspondence/sending-ports.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { sesSender } from '#mail/ses.ts'

/** The server's reaction to an attempt. `take` reads the message and counts it as arrived. */
type Behaviour = (attempt: {
  number: number
  request: IncomingMessage
  response: ServerResponse
  take: () => Promise<void>
}) => Promise<void>

let server: Server | undefined
let attempts = 0
let arrived: URLSearchParams[] = []

/** Starts an SES with this behaviour, and makes the sender use it. */
async function startProvider(behave: Behaviour): Promise<void> {
  server = createServer((request, response) => {
    attempts += 1
    response.on('error', () => {})
    const take = async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      arrived.push(new URLSearchParams(Buffer.concat(chunks).toString()))
    }
    behave({ number: attempts, request, response, take }).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  vi.stubEnv('AWS_ENDPOINT_URL_SES', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

beforeEach(() => {
  attempts = 0
  arrived = []
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('AWS_MAX_ATTEMPTS', '5')
  vi.stubEnv('MAIL_CONFIGURATION_SET', 'mail-test')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

const message = {
  raw: Buffer.from(
    'From: a@kanzlei.example\r\nSubject: =?utf-8?Q?=C3=9Cber?=\r\n\r\nText + Zeichen & mehr\r\n',
  ),
  from: 'eingang@kanzlei.example',
  recipients: ['mandant@example.com', 'gegner@müller.example'],
  tags: { workspace: 'ws_1', correspondence: 'corr_1' },
}
const send = (changes: Partial<typeof message> = {}): Promise<SendOutcome> =>
  sesSender()({ ...message, ...changes })
const sendWithin = (milliseconds: number) => withTimeLimit(milliseconds, () => send())

const accept = (response: ServerResponse, id = 'id-1') =>
  response
    .writeHead(200, { 'Content-Type': 'text/xml' })
    .end(
      `<SendRawEmailResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><SendRawEmailResult><MessageId>${id}</MessageId></SendRawEmailResult></SendRawEmailResponse>`,
    )
const errorXml = (code: string, text: string) =>
  `<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${text}</Message></Error><RequestId>r</RequestId></ErrorResponse>`
const refuse = (response: ServerResponse, code: string, text: string, status = 400) =>
  response.writeHead(status, { 'Content-Type': 'text/xml' }).end(errorXml(code, text))

test('an accepted message has arrived once, unchanged, and has the id of the provider', async () => {
  await startProvider(async ({ take, response }) => {
    await take()
    accept(response)
  })

  const outcome = await send()

  expect(outcome).toEqual({ kind: 'accepted', provider_message_id: 'id-1' })
  expect(arrived).toHaveLength(1)
  const { 'RawMessage.Data': data = '', ...form } = Object.fromEntries(arrived[0] ?? [])
  expect(Buffer.from(data, 'base64')).toEqual(message.raw)
  expect(form).toEqual({
    Action: 'SendRawEmail',
    Version: '2010-12-01',
    Source: 'eingang@kanzlei.example',
    'Destinations.member.1': 'mandant@example.com',
    'Destinations.member.2': 'gegner@xn--mller-kva.example',
    'Tags.member.1.Name': 'workspace',
    'Tags.member.1.Value': 'ws_1',
    'Tags.member.2.Name': 'correspondence',
    'Tags.member.2.Value': 'corr_1',
    ConfigurationSetName: 'mail-test',
  })
})

describe('the outcome is unknown, and the message is not sent again, after', () => {
  test('an answer that comes after forty seconds: the sender gives up after fifteen', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { promise: hasArrived, resolve: arrive } = Promise.withResolvers<void>()
    await startProvider(async ({ take, response }) => {
      await take()
      setTimeout(() => accept(response), 40_000)
      arrive()
    })
    let outcome: SendOutcome | undefined

    const sending = send().then((end) => {
      outcome = end
    })
    await hasArrived
    await vi.advanceTimersByTimeAsync(14_900)
    await new Promise(setImmediate)
    const early = outcome
    await vi.advanceTimersByTimeAsync(200)
    await sending

    expect(early).toBeUndefined()
    expect(outcome?.kind).toBe('unknown')
    expect(arrived).toHaveLength(1)
  })

  test('a late answer of a request that has less time left: four seconds remain to record it', async () => {
    await startProvider(async ({ take }) => take())
    const start = performance.now()

    const outcome = await sendWithin(7_000)

    expect(outcome.kind).toBe('unknown')
    expect(performance.now() - start).toBeLessThan(4_000)
    expect(attempts).toBe(1)
  })

  test.each<[string, Behaviour]>([
    [
      'a connection that is dropped before the message was taken',
      async ({ request }) => {
        request.socket.destroy()
      },
    ],
    [
      'a connection that is reset after the message was taken',
      async ({ take, request }) => {
        await take()
        request.socket.resetAndDestroy()
      },
    ],
    [
      '500 with a page of a proxy',
      async ({ take, response }) => {
        await take()
        response.writeHead(500, { 'Content-Type': 'text/html' }).end('<html><body>Oops<br></body></html>')
      },
    ],
    [
      '503 with a page of a proxy',
      async ({ take, response }) => {
        await take()
        response.writeHead(503, { 'Content-Type': 'text/html' }).end('<html><body>Busy</body></html>')
      },
    ],
    [
      '503 without a body',
      async ({ take, response }) => {
        await take()
        response.writeHead(503).end()
      },
    ],
    [
      '500 of SES itself',
      async ({ take, response }) => {
        await take()
        refuse(response, 'InternalFailure', 'The request failed.', 500)
      },
    ],
    [
      '503 of SES that names throttling',
      async ({ take, response }) => {
        await take()
        refuse(response, 'Throttling', 'Rate exceeded', 503)
      },
    ],
    [
      '400 with a page of a proxy',
      async ({ take, response }) => {
        await take()
        response.writeHead(400, { 'Content-Type': 'text/html' }).end('<html><body>Bad</body></html>')
      },
    ],
    [
      '404 without a body',
      async ({ take, response }) => {
        await take()
        response.writeHead(404).end()
      },
    ],
    [
      '400 with half an error',
      async ({ take, response }) => {
        await take()
        const xml = errorXml('MessageRejected', 'Email address is not verified.')
        response.writeHead(400).end(xml.slice(0, xml.indexOf('Rejected')))
      },
    ],
    [
      '400 with an error that breaks off with its connection',
      async ({ take, response }) => {
        await take()
        const xml = errorXml('MessageRejected', 'Email address is not verified.')
        response.writeHead(400, { 'Content-Length': xml.length }).write(xml.slice(0, -20))
        await sleep(50)
        response.destroy()
      },
    ],
    [
      'half an answer, then the end of the connection',
      async ({ take, response }) => {
        await take()
        response.writeHead(200, { 'Content-Length': 500 }).write('<SendRawEmailResponse><SendRawEmailRes')
        await sleep(50)
        response.destroy()
      },
    ],
    [
      'half an answer that ends as if it were whole',
      async ({ take, response }) => {
        await take()
        response.writeHead(200).end('<SendRawEmailResponse><SendRawEmailResult><MessageId>id')
      },
    ],
    [
      '200 with a page of a proxy',
      async ({ take, response }) => {
        await take()
        response.writeHead(200).end('<html><body>Welcome</body></html>')
      },
    ],
    [
      '200 without a body',
      async ({ take, response }) => {
        await take()
        response.writeHead(200).end()
      },
    ],
    [
      'a redirect',
      async ({ take, response }) => {
        await take()
        response.writeHead(307, { Location: '/elsewhere' }).end()
      },
    ],
  ])('%s', async (_case, behave) => {
    await startProvider(behave)

    const outcome = await send()

    expect(outcome).toEqual({ kind: 'unknown', cause: expect.anything() })
    expect(attempts).toBe(1)
    expect(arrived.length).toBeLessThanOrEqual(1)
  })

  test('half an answer that never continues', async () => {
    await startProvider(async ({ take, response }) => {
      await take()
      response.writeHead(200, { 'Content-Length': 500 }).write('<SendRawEmailResponse>')
    })
    const start = performance.now()

    const outcome = await sendWithin(7_000)

    expect(outcome.kind).toBe('unknown')
    expect(performance.now() - start).toBeLessThan(4_500)
    expect(attempts).toBe(1)
  })

  test('a refused connection', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_SES', 'http://127.0.0.1:1')

    expect((await send()).kind).toBe('unknown')
  })

  test('a connection that breaks after an attempt was throttled', async () => {
    await startProvider(async ({ number, take, request, response }) => {
      if (number === 1) {
        request.resume()
        refuse(response, 'Throttling', 'Maximum sending rate exceeded.')
        return
      }
      await take()
      request.socket.destroy()
    })

    const outcome = await send()

    expect(outcome.kind).toBe('unknown')
    expect(attempts).toBe(2)
    expect(arrived).toHaveLength(1)
  })
})

describe('throttling', () => {
  test('that ends is waited for: the message arrives once', async () => {
    await startProvider(async ({ number, take, request, response }) => {
      if (number <= 2) {
        request.resume()
        refuse(response, 'Throttling', 'Maximum sending rate exceeded.')
        return
      }
      await take()
      accept(response)
    })

    const outcome = await send()

    expect(outcome.kind).toBe('accepted')
    expect(attempts).toBe(3)
    expect(arrived).toHaveLength(1)
  })

  test('that does not end is a refusal within the time of the request', async () => {
    await startProvider(async ({ request, response }) => {
      request.resume()
      refuse(response, 'Throttling', 'Maximum sending rate exceeded.')
    })
    const start = performance.now()

    const [outcome, hurried] = await Promise.all([send(), sendWithin(6_500)])

    for (const one of [outcome, hurried])
      expect(one).toEqual({
        kind: 'refused',
        refusal: { kind: 'other', message: 'Maximum sending rate exceeded.' },
      })
    expect(attempts).toBeGreaterThan(4)
    expect(attempts).toBeLessThanOrEqual(12)
    expect(performance.now() - start).toBeLessThan(15_000)
  })

  test('for the rest of the day is a refusal at once', async () => {
    await startProvider(async ({ request, response }) => {
      request.resume()
      refuse(response, 'Throttling', 'Daily message quota exceeded.')
    })

    const outcome = await send()

    expect(outcome).toMatchObject({ kind: 'refused', refusal: { kind: 'other' } })
    expect(attempts).toBe(1)
  })
})

describe('a definite refusal', () => {
  test.each([
    ['MessageRejected', 'Email address is not verified.', 400],
    ['MailFromDomainNotVerifiedException', 'MAIL FROM is not verified.', 400],
    ['ConfigurationSetDoesNotExist', 'Configuration set &lt;x&gt; does not exist.', 400],
    ['AccountSendingPausedException', 'Email sending is disabled.', 400],
    ['ConfigurationSetSendingPausedException', 'Sending is paused.', 400],
    ['AccessDenied', 'You are not authorized to perform ses:SendRawEmail.', 403],
    ['InvalidParameterValue', 'Message length is more than 10485760 bytes long.', 400],
    ['InvalidParameterValue', 'Invalid domain name of the sender eingang@kanzlei.example', 400],
  ])('%s (%s) is no fault of an address', async (code, text, status) => {
    await startProvider(async ({ request, response }) => {
      request.resume()
      refuse(response, code, text, status)
    })

    const outcome = await send()

    expect(outcome).toEqual({
      kind: 'refused',
      refusal: { kind: 'other', message: text.replace('&lt;', '<').replace('&gt;', '>') },
    })
    expect(attempts).toBe(1)
  })

  test.each([
    "Missing final '@domain'",
    'Domain contains illegal character',
    'Local address contains control or whitespace',
    'Invalid domain name: mandant@-example.com',
  ])('of an address has the kind address: %s', async (text) => {
    await startProvider(async ({ request, response }) => {
      request.resume()
      refuse(response, 'InvalidParameterValue', text)
    })

    expect(await send()).toEqual({ kind: 'refused', refusal: { kind: 'address', message: text } })
    expect(attempts).toBe(1)
  })

  test('without a call, if the stage sends no mail', async () => {
    await startProvider(async ({ take }) => take())
    vi.stubEnv('MAIL_CONFIGURATION_SET', '')

    const outcome = await send()

    expect(outcome).toMatchObject({
      kind: 'refused',
      refusal: { kind: 'other', message: expect.stringContaining('MAIL_CONFIGURATION_SET') },
    })
    expect(attempts).toBe(0)
  })

  test('without a call, if the request has too little time left', async () => {
    await startProvider(async ({ take }) => take())

    const outcome = await sendWithin(5_500)

    expect(outcome).toMatchObject({ kind: 'refused', refusal: { kind: 'other' } })
    expect(attempts).toBe(0)
  })
})

test('messages neither wait for each other nor share a connection', async () => {
  const ports = new Set<number | undefined>()
  let waiting = 0
  const all = Promise.withResolvers<void>()
  await startProvider(async ({ take, request, response }) => {
    await take()
    ports.add(request.socket.remotePort)
    waiting += 1
    if (waiting === 60) all.resolve()
    await all.promise
    accept(response)
  })
  const sender = sesSender()

  const outcomes = await Promise.all(Array.from({ length: 60 }, () => sender(message)))

  expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true)
  expect(ports.size).toBe(60)
  expect(arrived).toHaveLength(60)
})
