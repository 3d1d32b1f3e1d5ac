import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SESClient, SendRawEmailCommand, type SendRawEmailCommandInput } from '@aws-sdk/client-ses'
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import PostalMime from 'postal-mime'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Ses, startSes } from '#infra/local/emulators/ses.ts'
import { type ServiceThread, startThread } from '#infra/local/emulators/thread.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'the secret of this run' }
let sqs: ServiceThread
let queue: SQSClient
let QueueUrl: string | undefined
let folder: string
let ses: Ses

beforeAll(async () => {
  sqs = await startThread({
    name: 'SQS',
    module: new URL('../../infra/local/emulators/sqs.ts', import.meta.url),
    workerData: { credentials },
  })
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', sqs.endpoint)
  queue = new SQSClient({ useQueueUrlAsEndpoint: false })
})
afterAll(async () => {
  queue.destroy()
  await sqs.stop()
  vi.unstubAllEnvs()
})

let queues = 0
beforeEach(async () => {
  queues += 1
  QueueUrl = (await queue.send(new CreateQueueCommand({ QueueName: `mail-events-${queues}` }))).QueueUrl
  vi.stubEnv('MAIL_EVENTS_QUEUE_URL', QueueUrl)
  folder = mkdtempSync(join(tmpdir(), 'mail-'))
  ses = await start()
})
afterEach(async () => {
  await ses.close()
  rmSync(folder, { recursive: true })
})

const start = () => startSes({ folder, credentials, configurationSet: 'mail-test' })

const clientWith = (secretAccessKey = credentials.secretAccessKey) =>
  new SESClient({
    endpoint: ses.endpoint,
    region: 'eu-central-1',
    credentials: { ...credentials, secretAccessKey },
    maxAttempts: 1,
  })

const raw = Buffer.from(
  [
    'From: =?utf-8?Q?Dr=2E_M=C3=BCller?= <eingang@kanzlei.example>',
    'To: Mandant <mandant@example.com>',
    'Cc: kopie@example.com',
    'Subject: =?utf-8?Q?K=C3=BCndigung?=',
    'Date: Mon, 04 May 2026 12:00:00 +0200',
    'Message-ID: <ours@kanzlei.example>',
    '',
    'Text + mehr & 100 %',
    '',
  ].join('\r\n'),
)
const send = (changes: Partial<SendRawEmailCommandInput> = {}, client = clientWith()) =>
  client.send(
    new SendRawEmailCommand({
      Source: 'eingang@kanzlei.example',
      Destinations: ['mandant@example.com'],
      RawMessage: { Data: raw },
      Tags: [
        { Name: 'workspace', Value: 'ws_1' },
        { Name: 'correspondence', Value: 'corr_1' },
      ],
      ConfigurationSetName: 'mail-test',
      ...changes,
    }),
  )

type Event = { eventType: string; mail: { messageId: string; tags: Record<string, string[]> } } & Record<
  string,
  object
>

/** The next events of the queue, in their order. */
async function events(count: number): Promise<Event[]> {
  const found: Event[] = []
  while (found.length < count) {
    const { Messages = [] } = await queue.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }),
    )
    if (Messages.length === 0) break
    for (const { Body = '', ReceiptHandle } of Messages) {
      found.push(JSON.parse(Body))
      await queue.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    }
  }
  return found
}
const noEvents = async () => {
  const { Messages = [] } = await queue.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }))
  return Messages.length === 0
}
const eml = () => readdirSync(folder).filter((name) => name.endsWith('.eml'))

describe('a message that is accepted', () => {
  test('is a file, byte for byte, for its owner alone, before it is answered for', async () => {
    const { MessageId } = await send()

    const [name = '', ...others] = eml()
    expect(others).toEqual([])
    expect(name).toMatch(/^\d{8}T\d{9}Z-/)
    expect(name).toContain(`Z-${MessageId}.eml`)
    expect(readFileSync(join(folder, name))).toEqual(raw)
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).toSorted()).toEqual([name, name.replace('eml', 'json')].toSorted())
  })

  test('of ten megabytes is taken whole, and of one byte more is not', async () => {
    const largest = Buffer.alloc(10 * 1024 * 1024, 'x')
    largest.set(raw)

    await send({ RawMessage: { Data: largest } })
    const tooLarge = send({ RawMessage: { Data: Buffer.concat([largest, Buffer.from('x')]) } })

    await expect(tooLarge).rejects.toMatchObject({
      Error: { Code: 'InvalidParameterValue' },
      message: expect.stringContaining('Message length is more than 10485760 bytes'),
      $metadata: { httpStatusCode: 400 },
    })
    expect(eml()).toHaveLength(1)
    expect(readFileSync(join(folder, eml()[0] ?? '')).equals(largest)).toBe(true)
  })

  test('is one of fifty at once, each a file and an id of its own', async () => {
    const client = clientWith()

    const answers = await Promise.all(Array.from({ length: 50 }, () => send({}, client)))

    expect(new Set(answers.map(({ MessageId }) => MessageId)).size).toBe(50)
    expect(eml()).toHaveLength(50)
  })
})

describe('events', () => {
  test('are those that SES documents: Send, then Delivery for each recipient', async () => {
    const { MessageId } = await send({ Destinations: ['mandant@example.com', 'blind@example.com'] })

    const [sent, ...deliveries] = await events(3)
    expect(sent).toEqual({
      eventType: 'Send',
      send: {},
      mail: {
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        source: 'eingang@kanzlei.example',
        sourceArn: 'arn:aws:ses:eu-central-1:123456789012:identity/kanzlei.example',
        sendingAccountId: '123456789012',
        messageId: MessageId,
        destination: ['mandant@example.com', 'blind@example.com'],
        headersTruncated: false,
        headers: expect.arrayContaining([{ name: 'Message-ID', value: '<ours@kanzlei.example>' }]),
        commonHeaders: {
          from: ['Dr. Müller <eingang@kanzlei.example>'],
          to: ['Mandant <mandant@example.com>'],
          cc: ['kopie@example.com'],
          date: expect.any(String),
          messageId: '<ours@kanzlei.example>',
          subject: 'Kündigung',
        },
        tags: expect.objectContaining({
          'ses:configuration-set': ['mail-test'],
          workspace: ['ws_1'],
          correspondence: ['corr_1'],
        }),
      },
    })
    expect(deliveries).toHaveLength(2)
    for (const [at, recipient] of ['mandant@example.com', 'blind@example.com'].entries())
      expect(deliveries[at]).toEqual({
        eventType: 'Delivery',
        mail: sent?.mail,
        delivery: expect.objectContaining({
          timestamp: expect.any(String),
          recipients: [recipient],
          smtpResponse: expect.stringMatching(/^250 /),
        }),
      })
  })

  test('of addresses that ask for them: a bounce, a delay, and a complaint after the delivery', async () => {
    await send({ Destinations: ['bounce+1@example.com', 'delay+1@example.com', 'complaint+1@example.com'] })

    const [, bounced, delayed, delivered, complained] = await events(5)
    expect(bounced).toMatchObject({
      eventType: 'Bounce',
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          {
            emailAddress: 'bounce+1@example.com',
            action: 'failed',
            status: '5.1.1',
            diagnosticCode: 'smtp; 550 5.1.1 user unknown',
          },
        ],
        feedbackId: expect.any(String),
        timestamp: expect.any(String),
      },
    })
    expect(delayed).toMatchObject({
      eventType: 'DeliveryDelay',
      deliveryDelay: {
        delayType: 'TransientCommunicationFailure',
        delayedRecipients: [{ emailAddress: 'delay+1@example.com', status: '4.4.1' }],
        timestamp: expect.any(String),
        expirationTime: expect.any(String),
      },
    })
    expect(delivered).toMatchObject({
      eventType: 'Delivery',
      delivery: { recipients: ['complaint+1@example.com'] },
    })
    expect(complained).toMatchObject({
      eventType: 'Complaint',
      complaint: {
        complainedRecipients: [{ emailAddress: 'complaint+1@example.com' }],
        complaintFeedbackType: 'abuse',
        feedbackId: expect.any(String),
        timestamp: expect.any(String),
      },
    })
  })

  test('are not emitted without a configuration set', async () => {
    await send({ ConfigurationSetName: undefined })

    expect(eml()).toHaveLength(1)
    expect(await noEvents()).toBe(true)
  })

  test('of the last day are emitted again with the next start, the same ones', async () => {
    await send()
    const first = await events(2)
    await ses.close()
    ses = await start()

    await ses.emitAgain()

    expect(await events(2)).toEqual(first)
  })

  test('of a message that a killed run stored and did not emit come with the next start', async () => {
    vi.stubEnv('MAIL_EVENTS_QUEUE_URL', '')
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { MessageId } = await send()
    await ses.close()
    vi.stubEnv('MAIL_EVENTS_QUEUE_URL', QueueUrl)
    ses = await start()

    await ses.emitAgain()

    expect((await events(2)).map(({ eventType, mail }) => [eventType, mail.messageId])).toEqual([
      ['Send', MessageId],
      ['Delivery', MessageId],
    ])
  })

  test('are emitted again when the run that accepted the message ended long ago', async () => {
    const { MessageId } = await send()
    await events(2)
    backdate('20200101T000000000Z')

    await ses.emitAgain()

    expect((await events(2)).map(({ mail }) => mail.messageId)).toEqual([MessageId, MessageId])
  })

  test('of messages older by a day than the newest are not emitted again', async () => {
    await send()
    await events(2)
    backdate('20200101T000000000Z')
    const { MessageId } = await send()
    await events(2)

    await ses.emitAgain()

    expect((await events(2)).map(({ mail }) => mail.messageId)).toEqual([MessageId, MessageId])
    expect(await noEvents()).toBe(true)
  })

  /** Stores the only message as if it had been accepted at that time. */
  function backdate(time: string): void {
    const [name = ''] = eml()
    for (const type of ['eml', 'json']) {
      const stored = name.replace('eml', type)
      renameSync(join(folder, stored), join(folder, `${time}${stored.slice(19)}`))
    }
  }
})

test('unfinished files of a killed run are removed, messages are not', async () => {
  await send()
  const kept = readdirSync(folder).toSorted()
  const [name = ''] = eml()
  const orphan = name.replace(/^\d+/, '20260101').replace('eml', 'json')
  const parts = ['.eml-00000000-0000-4000-8000-000000000000', orphan]
  for (const part of parts) writeFileSync(join(folder, part), 'half')
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  await ses.close()

  ses = await start()

  expect(readdirSync(folder).toSorted()).toEqual([...kept, 'notes.txt'].toSorted())
})

describe('refused as SES refuses it, and not stored:', () => {
  test.each<[string, Partial<SendRawEmailCommandInput>, string, string]>([
    [
      '51 recipients',
      { Destinations: Array.from({ length: 51 }, (_, at) => `a${at}@example.com`) },
      'InvalidParameterValue',
      'Recipient count exceeds 50.',
    ],
    ['no recipient', { Destinations: [] }, 'InvalidParameterValue', 'Destinations'],
    ['a sender without domain', { Source: 'kanzlei' }, 'InvalidParameterValue', "Missing final '@domain'"],
    ['a sender with a name', { Source: 'A <a@b.de>' }, 'InvalidParameterValue', 'Local address contains'],
    ['two addresses in one', { Destinations: ['a@b.de,c@d.de'] }, 'InvalidParameterValue', 'Missing final'],
    [
      'a local part beyond ASCII',
      { Destinations: ['müller@b.de'] },
      'InvalidParameterValue',
      'Local address',
    ],
    ['a domain beyond ASCII', { Destinations: ['a@müller.de'] }, 'InvalidParameterValue', 'Domain contains'],
    ['a line break', { Destinations: ['a@b.de\r\nx'] }, 'InvalidParameterValue', 'Domain contains'],
    ['a tag with a space', { Tags: [{ Name: 'a', Value: 'b c' }] }, 'InvalidParameterValue', 'Invalid tag'],
    [
      'a message without From',
      { RawMessage: { Data: Buffer.from('To: a@b.de\r\n\r\nx') } },
      'InvalidParameterValue',
      "Missing required header 'From'.",
    ],
    ['an empty message', { RawMessage: { Data: Buffer.alloc(0) } }, 'InvalidParameterValue', 'From'],
    [
      'another configuration set',
      { ConfigurationSetName: 'other' },
      'ConfigurationSetDoesNotExist',
      'Configuration set <other> does not exist.',
    ],
  ])('%s', async (_case, changes, code, text) => {
    const sending = send(changes)

    await expect(sending).rejects.toMatchObject({
      Error: { Type: 'Sender', Code: code },
      message: expect.stringContaining(text),
      $metadata: { httpStatusCode: 400 },
    })
    expect(readdirSync(folder)).toEqual([])
  })

  test('a call that is not signed with the secret of this run', async () => {
    const sending = send({}, clientWith('guessed'))
    const unsigned = await fetch(ses.endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'Action=SendRawEmail',
    })

    await expect(sending).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
    expect(unsigned.status).toBe(403)
    expect(await unsigned.text()).toContain('<Code>InvalidSignatureException</Code>')
    expect(readdirSync(folder)).toEqual([])
  })

  test('a message that cannot be written: it is not answered as accepted', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'no folder')

    const sending = send()

    await expect(sending).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } })
  })
})

test('a message with a header of a megabyte is taken, and its events fit the queue', async () => {
  const long = Buffer.from(`From: a@b.de\r\nX-Long: ${'x'.repeat(1_000_000)}\r\n\r\ntext`)

  await send({ RawMessage: { Data: long } })

  const [sent] = await events(2)
  expect(sent?.mail).toMatchObject({ headersTruncated: true, headers: [{ name: 'From', value: 'a@b.de' }] })
  expect((await PostalMime.parse(readFileSync(join(folder, eml()[0] ?? '')))).from?.address).toBe('a@b.de')
})

test('a message with an emoji in its subject has events', async () => {
  const smiling = Buffer.from('From: a@b.de\r\nSubject: =?utf-8?Q?Vollmacht_=F0=9F=98=80?=\r\n\r\ntext')

  await send({ RawMessage: { Data: smiling } })

  const [sent] = await events(2)
  expect(sent?.mail).toMatchObject({ commonHeaders: { subject: 'Vollmacht 😀' } })
})
