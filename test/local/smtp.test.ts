import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SQSEvent } from 'aws-lambda'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MailReceipt } from '#correspondence/receipt-schema.ts'
import { type Smtp, type SmtpOptions, smtpLimits, startSmtp } from '#infra/local/smtp.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { localFunction } from '#test/support/local-function.ts'
import { type SmtpClient, sendBySmtp, smtpClient } from '#test/support/smtp-client.ts'

/** Also on a machine that does ten other things; what fails in a request, the sweeper repeats after a minute. */
const patiently = { timeout: 100_000, interval: 100 }

const office = 'kanzlei@inbound.localhost'
const message = 'Subject: Ladung\r\n\r\nIn Sachen Meier.\r\n'

/** The input of the function: the receipt, and the bytes that lay in the bucket at that moment. */
let recorded: { receipt: MailReceipt; raw: Buffer | undefined }[]
let stored: Map<string, Buffer>
/** The function's reaction to a message; it records the message unless a test sets another reaction. */
let outcome: () => unknown
/** Brings what was recorded to the disk; at once unless a test says otherwise. */
let flush: () => Promise<void>
let isFull: boolean
let smtp: Smtp
const clients: SmtpClient[] = []
const reported = vi.spyOn(console, 'error')

beforeEach(async () => {
  recorded = []
  stored = new Map()
  outcome = () => ({ batchItemFailures: [] })
  flush = async () => {}
  isFull = false
  reported.mockReset().mockImplementation(() => {})
  smtp = await start()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.end()
  await smtp.close()
})

const start = (options: Partial<SmtpOptions> = {}) =>
  startSmtp({
    port: 0,
    receiveMail: localFunction([], (event) => {
      const [record] = (event as unknown as SQSEvent).Records
      const receipt = MailReceipt.parse(JSON.parse(record?.body ?? ''))
      recorded.push({ receipt, raw: stored.get(receipt.receipt.action.objectKey) })
      return outcome()
    }),
    isRecipient: async (email) => email.endsWith('@inbound.localhost') && !email.startsWith('nobody'),
    messages: {
      put: async (messageId, raw) => {
        stored.set(`received/${messageId}`, raw)
        return { bucketName: 'files', objectKey: `received/${messageId}` }
      },
      remove: async (key) => void stored.delete(key),
    },
    disk: { flush: () => flush(), isFull: async () => isFull },
    beside: (work) => work(),
    ...options,
  })

/** The server with other limits than a real one, in place of the one that each test starts with. */
async function restart(limits: Partial<typeof smtpLimits>): Promise<void> {
  await smtp.close()
  smtp = await start({ limits })
}

async function open(): Promise<SmtpClient> {
  const client = await smtpClient(smtp.url)
  clients.push(client)
  return client
}

/** A client that has named its sender and its recipients. */
async function begin(...recipients: string[]): Promise<SmtpClient> {
  const client = await open()
  expect(await client.reply()).toMatch(/^220 /)
  await client.say('EHLO test')
  await client.say('MAIL FROM:<anna.meier@example.com>')
  for (const recipient of recipients) await client.say(`RCPT TO:<${recipient}>`)
  return client
}

describe('a message', () => {
  test('lies in the bucket as it was sent when the function is called, with the receipt that SES publishes', async () => {
    await sendBySmtp(smtp.url, { to: [office, 'notariat+akte@inbound.localhost'], raw: message })

    const [{ receipt, raw } = {}] = recorded
    expect(recorded).toHaveLength(1)
    expect(raw?.toString()).toBe(message)
    expect(receipt?.receipt.recipients).toEqual([office, 'notariat+akte@inbound.localhost'])
    expect(receipt?.receipt.action.objectKey).toBe(`received/${receipt?.mail.messageId}`)
    expect(receipt?.receipt.dmarcVerdict).toEqual({ status: 'DISABLED' })
    expect(Math.abs(Date.parse(receipt?.mail.timestamp ?? '') - epochMilliseconds())).toBeLessThan(10_000)
    expect(stored.size).toBe(0)
  })

  test('is answered with 250 only after the function has recorded it', async () => {
    const recording = Promise.withResolvers<unknown>()
    outcome = () => recording.promise
    let isAnswered = false
    const sending = sendBySmtp(smtp.url, { to: [office], raw: message }).finally(() => {
      isAnswered = true
    })
    await vi.waitFor(() => expect(recorded).toHaveLength(1), patiently)
    await sleep(100)
    const tooEarly = isAnswered

    recording.resolve({ batchItemFailures: [] })

    expect(tooEarly).toBe(false)
    expect((await sending).response).toMatch(/^250 /)
  })

  test('is answered with 250 only when its record is on the disk', async () => {
    const flushing = Promise.withResolvers<void>()
    flush = () => flushing.promise
    let isAnswered = false
    const sending = sendBySmtp(smtp.url, { to: [office], raw: message }).finally(() => {
      isAnswered = true
    })
    await vi.waitFor(() => expect(recorded).toHaveLength(1), patiently)
    await sleep(100)
    const tooEarly = [isAnswered, stored.size]

    flushing.resolve()

    expect((await sending).response).toMatch(/^250 /)
    expect(tooEarly).toEqual([false, 1])
  })

  test('is answered with 451 if its record cannot be written to the disk', async () => {
    const client = await begin(office)
    flush = () => Promise.reject(new Error('EIO'))

    expect(await client.data(message)).toMatch(/^451 /)
  })

  test('that comes while the disk is full is answered with 452 and stored nowhere', async () => {
    isFull = true
    const refused = await (await begin(office)).data(message)
    isFull = false
    const accepted = await (await begin(office)).data(message)

    expect([refused, accepted.slice(0, 4)]).toEqual([
      expect.stringMatching(/^452 The disk of the service is full/),
      '250 ',
    ])
    expect(recorded).toHaveLength(1)
  })

  test.each([
    ['reports a failure', () => ({ batchItemFailures: [{ itemIdentifier: '1' }] })],
    ['throws', () => Promise.reject(new Error('The table is not there.'))],
  ])('that the function %s is answered with 451 and removed, and can be sent again', async (_, failure) => {
    const client = await begin(office)
    outcome = failure
    const refused = await client.data(message)
    const left = stored.size
    outcome = () => ({ batchItemFailures: [] })
    await client.say('MAIL FROM:<anna.meier@example.com>')
    await client.say(`RCPT TO:<${office}>`)
    const accepted = await client.data(message)

    expect([refused.slice(0, 4), left, accepted.slice(0, 4)]).toEqual(['451 ', 0, '250 '])
    expect(reported).toHaveBeenCalledTimes(1)
  })

  test('without a sender in its envelope, as reports about mail are, is taken', async () => {
    const client = await open()
    await client.reply()
    await client.say('HELO test')
    await client.say('MAIL FROM:<>')
    await client.say(`RCPT TO:<${office}>`)

    expect(await client.data(message)).toMatch(/^250 /)
  })

  test('keeps lines that begin with dots, lone line breaks and dots that end nothing', async () => {
    const body = 'Subject: x\r\n\r\n.\r\n..\r\n...a\r\nb\n.\nc\r.\rd\n.\r\ne\r\n'

    const client = await begin(office)
    const answer = await client.data(body.replaceAll(/(^|\r\n)\./g, '$1..').slice(0, -2))

    expect(answer).toMatch(/^250 /)
    expect(recorded[0]?.raw?.toString()).toBe(body)
  })

  test('of any bytes is taken as it is: zeros, all of 8 bits, a line of a megabyte, no header', async () => {
    const bytes = Buffer.concat([
      Buffer.from(Array.from({ length: 4_096 }, (_, at) => at % 256)),
      Buffer.alloc(1024 * 1024, 0xff),
      Buffer.from('\r\n'),
    ])

    const client = await begin(office)
    const answer = await client.data(bytes.subarray(0, -2))

    expect(answer).toMatch(/^250 /)
    expect(recorded[0]?.raw?.equals(bytes)).toBe(true)
  })

  test('in 8 bits and with an international sender is announced as possible, and possible', async () => {
    const client = await open()
    await client.reply()
    const capabilities = await client.say('EHLO test')
    const from = Buffer.from('MAIL FROM:<jörg@müller.example> SMTPUTF8 BODY=8BITMIME\r\n')
    client.write(from)
    const sender = await client.reply()
    await client.say(`RCPT TO:<${office}>`)
    const raw = Buffer.from('Subject: Grüße\r\n\r\nGrüße aus Köln\r\n')
    const answer = await client.data(raw.subarray(0, -2))

    expect(capabilities).toMatch(/^250.8BITMIME\r$/m)
    expect(capabilities).toMatch(/^250.SMTPUTF8\r$/m)
    expect([sender.slice(0, 4), answer.slice(0, 4)]).toEqual(['250 ', '250 '])
    expect(recorded[0]?.raw?.equals(raw)).toBe(true)
  })

  test('may follow another on the same connection', async () => {
    const client = await begin(office)
    await client.data('Subject: 1\r\n')
    await client.say('MAIL FROM:<anna.meier@example.com>')
    await client.say('RCPT TO:<notariat@inbound.localhost>')
    await client.data('Subject: 2\r\n')

    expect(recorded.map(({ receipt, raw }) => [receipt.receipt.recipients, raw?.toString().trim()])).toEqual([
      [[office], 'Subject: 1'],
      [['notariat@inbound.localhost'], 'Subject: 2'],
    ])
  })
})

describe('what is refused', () => {
  test('a recipient that no workspace has is 550, and the others get the message', async () => {
    const sent = await sendBySmtp(smtp.url, { to: ['nobody@inbound.localhost', office], raw: message })

    expect(sent).toMatchObject({ accepted: [office], rejected: ['nobody@inbound.localhost'] })
    expect(recorded[0]?.receipt.receipt.recipients).toEqual([office])
    const client = await begin()
    expect(await client.say('RCPT TO:<someone@example.com>')).toMatch(/^550 /)
    expect(await client.say('DATA')).toMatch(/^503 /)
  })

  test('a recipient that cannot be looked up just now is 451', async () => {
    await smtp.close()
    smtp = await start({ isRecipient: () => Promise.reject(new Error('The table is not there.')) })

    const client = await begin()

    expect(await client.say(`RCPT TO:<${office}>`)).toMatch(/^451 /)
    expect(reported).toHaveBeenCalledTimes(1)
  })

  test('a message over the limit is 552, whether it announces its size or not, and nothing of it is stored', async () => {
    await restart({ messageBytes: 100_000 })
    const client = await open()
    await client.reply()
    const capabilities = await client.say('EHLO test')
    const announced = await client.say('MAIL FROM:<anna.meier@example.com> SIZE=100001')
    await client.say('MAIL FROM:<anna.meier@example.com>')
    await client.say(`RCPT TO:<${office}>`)
    const sent = await client.data(Buffer.alloc(100_001, 'a'))

    expect(smtpLimits.messageBytes).toBe(40 * 1024 * 1024)
    expect(capabilities).toMatch(/^250.SIZE 100000\r?$/m)
    expect([announced.slice(0, 4), sent.slice(0, 4)]).toEqual(['552 ', '552 '])
    expect([recorded.length, stored.size]).toEqual([0, 0])
  })

  test('more recipients than the limit are 452, and those before them get the message', async () => {
    await restart({ recipients: 2 })
    const client = await begin('a@inbound.localhost', 'b@inbound.localhost')

    expect(await client.say('RCPT TO:<c@inbound.localhost>')).toMatch(/^452 /)
    expect(await client.data(message)).toMatch(/^250 /)
    expect(recorded[0]?.receipt.receipt.recipients).toHaveLength(2)
  })

  test('more connections than the limit are 421, until one of them ends', async () => {
    await restart({ connections: 1 })
    const first = await begin(office)
    const second = await open()
    const refused = await second.reply()
    first.end()
    await once(second.socket, 'close')

    expect(refused).toMatch(/^421 /)
    await vi.waitFor(async () => expect(await (await open()).reply()).toMatch(/^220 /), patiently)
  })

  test('a command without an end is refused, and so are passwords and TLS', async () => {
    const client = await begin()
    const capabilities = await client.say('EHLO test')
    const replies = [await client.say('AUTH PLAIN AGEAYg=='), await client.say('STARTTLS')]
    client.write('x'.repeat(20_000))

    expect(capabilities).not.toMatch(/AUTH|STARTTLS/)
    for (const reply of replies) expect(reply).toMatch(/^5\d\d /)
    expect(await client.reply()).toMatch(/^421 /)
  })

  test('garbage instead of commands does not end the server', async () => {
    const client = await open()
    client.write(Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 7919) % 256)))
    await once(client.socket, 'close')

    expect((await sendBySmtp(smtp.url, { to: [office], raw: message })).response).toMatch(/^250 /)
  })
})

describe('a client that goes away', () => {
  test.each([
    ['closes', (client: SmtpClient) => client.socket.end()],
    ['resets', (client: SmtpClient) => client.socket.resetAndDestroy()],
  ])('in the middle of its message (%s) leaves nothing behind', async (_, leave) => {
    const client = await begin(office)
    await client.say('DATA')
    client.write(`Subject: halb\r\n\r\n${'x'.repeat(100_000)}`)
    await sleep(50)

    leave(client)
    await once(client.socket, 'close')
    await sleep(100)

    expect([recorded.length, stored.size]).toEqual([0, 0])
    expect((await sendBySmtp(smtp.url, { to: [office], raw: message })).response).toMatch(/^250 /)
    expect(reported).not.toHaveBeenCalled()
  })

  test('that sends nothing in the middle of its message is disconnected, and nothing of it is stored', async () => {
    await restart({ idleMilliseconds: 200 })
    const client = await begin(office)
    await client.say('DATA')
    client.write('Subject: halb\r\n\r\n')

    expect(await client.reply()).toMatch(/^421 /)
    expect([recorded.length, stored.size]).toEqual([0, 0])
  })

  test('while its message is being recorded does not stop that', async () => {
    const recording = Promise.withResolvers<unknown>()
    outcome = () => recording.promise
    const client = await begin(office)
    void client.data(message).catch(() => {})
    await vi.waitFor(() => expect(recorded).toHaveLength(1), patiently)

    client.end()
    recording.resolve({ batchItemFailures: [] })

    await vi.waitFor(() => expect(stored.size).toBe(0), patiently)
    expect((await sendBySmtp(smtp.url, { to: [office], raw: message })).response).toMatch(/^250 /)
  })
})

describe('the end', () => {
  test('a message that is being recorded is finished; idle clients are informed and disconnected', async () => {
    const recording = Promise.withResolvers<unknown>()
    outcome = () => recording.promise
    const idle = await open()
    await idle.reply()
    const sending = sendBySmtp(smtp.url, { to: [office], raw: message })
    await vi.waitFor(() => expect(recorded).toHaveLength(1), patiently)

    const closed = smtp.close()
    const told = await idle.reply()
    recording.resolve({ batchItemFailures: [] })

    expect(told).toMatch(/^421 /)
    expect((await sending).response).toMatch(/^250 /)
    await closed
    await expect(smtpClient(smtp.url)).rejects.toThrow()
  })

  test('a client that never finishes does not hold it up for long', async () => {
    await restart({ closeMilliseconds: 200 })
    const client = await begin(office)
    await client.say('DATA')
    client.write('Subject: halb\r\n')

    const begun = performance.now()
    await smtp.close()

    expect(performance.now() - begun).toBeLessThan(3_000)
    expect([recorded.length, stored.size]).toEqual([0, 0])
  })
})

test('a port that is in use is named, with what to do', async () => {
  const port = Number(new URL(smtp.url).port)

  await expect(start({ port })).rejects.toThrow(
    `Port ${port} for mail is in use. Choose another one with SMTP_PORT`,
  )
})
