import { rmSync } from 'node:fs'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { type Api, api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { upload } from '#test/support/documents.ts'
import { newAddress, outbound, until } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import {
  accept,
  answerError,
  breakOff,
  startToySes,
  type TakenMessage,
  type ToySes,
  takeAndBreak,
  takeAndHang,
} from '#test/support/toy-ses.ts'

/** A mail provider that fails: what was sent is said to be sent, once (M5). */
let ses: ToySes
let service: Service
let owner: Api
let dataDir: string

const start = async () => {
  service = await startService({
    dataDir,
    commandLine: ['--empty'],
    environment: { AWS_ENDPOINT_URL_SES: ses.endpoint },
  })
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
}

beforeAll(async () => {
  dataDir = newDataFolder()
  ses = await startToySes()
  await start()
})
afterAll(async () => {
  await ses.stop()
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
})
beforeEach(() => ses.behave(accept))

const takenFor = (address: string) => ses.taken.filter(({ recipients }) => recipients.includes(address))
const newMail = () => ({
  to_recipients: [newAddress()],
  subject: 'Fristsache',
  idempotency_key: crypto.randomUUID(),
})
const send = (body: ReturnType<typeof newMail>) => owner('POST', `${outbound}/send`, { body })
const addressOf = ({ to_recipients: [address = ''] }: ReturnType<typeof newMail>) => address
const outcome = ({ status, body }: Awaited<ReturnType<typeof send>>) => [
  status,
  body.error?.code ?? body.success,
]

/** Puts the event of SES that a message was taken into the queue. */
async function emitSend({ id, recipients, tags }: TakenMessage): Promise<void> {
  const { environment } = service
  const client = new SQSClient({
    endpoint: environment.AWS_ENDPOINT_URL_SQS ?? '',
    region: 'eu-central-1',
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
    },
    useQueueUrlAsEndpoint: false,
  })
  const event = {
    eventType: 'Send',
    mail: {
      timestamp: systemClock.now().toISOString(),
      messageId: id,
      destination: recipients,
      tags: Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [value]])),
    },
    send: {},
  }
  await client.send(
    new SendMessageCommand({
      QueueUrl: environment.MAIL_EVENTS_QUEUE_URL,
      MessageBody: JSON.stringify(event),
    }),
  )
  client.destroy()
}

/** The mail that a taken message belongs to, once it is `sent`. */
async function settled({ tags, id }: TakenMessage): Promise<void> {
  const mail = await until(
    owner,
    `/api/v1/correspondence/${tags.correspondence}`,
    ({ status }) => status === 'sent',
  )
  expect(mail.message_id).toBe(id)
}

describe('a provider that refuses for certain', () => {
  it('is answered with 502, and the same key sends the mail once the provider takes it', async () => {
    const mail = newMail()
    ses.behave(answerError(400, 'MessageRejected', 'Email address is not verified.'), accept)

    const answers = [await send(mail), await send(mail), await send(mail)]

    expect(answers.map(outcome)).toEqual([
      [502, 'MAIL_NOT_SENT'],
      [200, true],
      [200, true],
    ])
    expect(takenFor(addressOf(mail))).toHaveLength(1)
  })

  it('because of an address is 400, and names the field', async () => {
    ses.behave(answerError(400, 'InvalidParameterValue', 'Domain contains illegal character'))

    const answer = await send(newMail())

    expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details).toEqual([
      { path: 'body.to_recipients', message: 'Domain contains illegal character' },
    ])
  })

  it('leaves a draft `failed`; saved again it is a draft, and can be sent', async () => {
    const to = newAddress()
    const draft = await owner('POST', `${outbound}/drafts`, { body: { to: [to], subject: 'Entwurf' } })
    const path = `${outbound}/drafts/${draft.body.id}`
    ses.behave(answerError(400, 'MessageRejected', 'Not now.'))

    const refused = await owner('POST', `${path}/send`)
    const failed = (await owner('GET', path)).body
    const saved = await owner('PUT', path, { body: { subject: 'Entwurf 2' } })
    ses.behave(accept)
    const sent = await owner('POST', `${path}/send`)

    expect([outcome(refused), failed.status, saved.body.status]).toEqual([
      [502, 'MAIL_NOT_SENT'],
      'failed',
      'draft',
    ])
    expect([sent.status, takenFor(to).length]).toEqual([200, 1])
  })

  it('does not get a draft again whose attachment was deleted since', async () => {
    const to = newAddress()
    const { id } = (await upload(owner, { filename: 'Falsche Anlage.txt', bytes: 'Vertraulich' })).body
    const draft = await owner('POST', `${outbound}/drafts`, {
      body: { to: [to], subject: 'Entwurf', attachments: [id] },
    })
    const path = `${outbound}/drafts/${draft.body.id}`
    ses.behave(answerError(400, 'MessageRejected', 'Not now.'), accept)
    const refused = await owner('POST', `${path}/send`)
    await owner('DELETE', `/api/v1/documents/${id}`)

    const gone = await owner('POST', `${path}/send`)
    await owner('PUT', path, { body: { attachments: [] } })
    const sent = await owner('POST', `${path}/send`)

    expect([refused, gone, sent].map(outcome)).toEqual([
      [502, 'MAIL_NOT_SENT'],
      [409, 'ATTACHMENT_GONE'],
      [200, true],
    ])
    expect(takenFor(to)).toHaveLength(1)
  })

  it('because it is asked too often is asked again, and the mail is sent once', async () => {
    const mail = newMail()
    const throttled = answerError(400, 'Throttling', 'Maximum sending rate exceeded.')
    ses.behave(throttled, throttled, accept)

    expect(outcome(await send(mail))).toEqual([200, true])
    expect(takenFor(addressOf(mail))).toHaveLength(1)
  })
})

describe('a provider whose answer is lost', () => {
  it.each([
    ['after it took the message', takeAndBreak, 1],
    ['before it took the message', breakOff, 0],
    ['with a 500 of its own', answerError(500, 'InternalFailure', 'Try again.'), 0],
  ])('%s is not asked again: the key answers 409 with Retry-After', async (_, behaviour, count) => {
    const mail = newMail()
    const before = ses.asked()
    ses.behave(behaviour, accept)

    const answers = [await send(mail), await send(mail)]

    expect(answers.map(outcome)).toEqual([
      [409, 'SEND_IN_PROGRESS'],
      [409, 'SEND_IN_PROGRESS'],
    ])
    expect(Number(answers[1]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(ses.asked() - before).toBe(1)
    expect(takenFor(addressOf(mail))).toHaveLength(count)
  })

  it('is believed as soon as its event comes: the key answers what was sent', async () => {
    const mail = newMail()
    ses.behave(takeAndBreak, accept)
    const lost = await send(mail)
    const [message] = takenFor(addressOf(mail))
    if (message === undefined) throw new Error('The message was not taken.')

    await emitSend(message)
    await settled(message)
    const again = await send(mail)

    expect([outcome(lost), outcome(again)]).toEqual([
      [409, 'SEND_IN_PROGRESS'],
      [200, true],
    ])
    expect(again.body.message_id).toBe(message.id)
    expect(takenFor(addressOf(mail))).toHaveLength(1)
  })

  it('keeps a draft closed until then: it is neither changed, deleted nor sent twice', async () => {
    const to = newAddress()
    const draft = await owner('POST', `${outbound}/drafts`, { body: { to: [to], subject: 'Entwurf' } })
    const path = `${outbound}/drafts/${draft.body.id}`
    ses.behave(takeAndBreak, accept)

    const answers = [
      await owner('POST', `${path}/send`),
      await owner('POST', `${path}/send`),
      await owner('PUT', path, { body: { subject: 'Anders' } }),
      await owner('DELETE', path),
    ]

    expect(answers.map(outcome)).toEqual([
      [409, 'SEND_IN_PROGRESS'],
      [409, 'SEND_IN_PROGRESS'],
      [409, 'DRAFT_ALREADY_SENT'],
      [409, 'DRAFT_ALREADY_SENT'],
    ])
    expect((await owner('GET', path)).body.status).toBe('sending')
    expect(takenFor(to)).toHaveLength(1)
  })

  it('for longer than a request lasts is answered in time, and sent once', async () => {
    const mail = newMail()
    ses.behave(takeAndHang, accept)

    const answers = [await send(mail), await send(mail)]

    expect(answers.map(outcome)).toEqual([
      [409, 'SEND_IN_PROGRESS'],
      [409, 'SEND_IN_PROGRESS'],
    ])
    expect(takenFor(addressOf(mail))).toHaveLength(1)
  })
})

describe('a service that is killed', () => {
  it.each([
    [
      'a direct send',
      async (to: string) => {
        const body = { to_recipients: [to], subject: 'Abbruch', idempotency_key: crypto.randomUUID() }
        return () => owner('POST', `${outbound}/send`, { body })
      },
    ],
    [
      'a draft’s send',
      async (to: string) => {
        const draft = await owner('POST', `${outbound}/drafts`, { body: { to: [to], subject: 'Abbruch' } })
        return () => owner('POST', `${outbound}/drafts/${draft.body.id}/send`)
      },
    ],
  ])(
    'between the provider’s answer and its record does not repeat %s, and learns of it by the event',
    async (_, prepare) => {
      // Prepare
      const to = newAddress()
      const ask = await prepare(to)
      const { promise: isTaken, resolve } = Promise.withResolvers<void>()
      ses.behave((take) => {
        take()
        resolve()
      }, accept)

      // Act
      const cut = ask().catch((error: unknown) => error)
      await isTaken
      await service.kill()
      await start()
      const after = await ask()
      const [message, ...more] = takenFor(to)
      if (message === undefined) throw new Error('The message was not taken.')
      await emitSend(message)
      await settled(message)
      const settledAnswer = await ask()

      // Assess
      expect(await cut).toBeInstanceOf(Error)
      expect(outcome(after)).toEqual([409, 'SEND_IN_PROGRESS'])
      expect([outcome(settledAnswer), settledAnswer.body.message_id]).toEqual([[200, true], message.id])
      expect([more, takenFor(to).length]).toEqual([[], 1])
    },
    300_000,
  )
})
