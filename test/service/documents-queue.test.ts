import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, api } from '#test/support/api.ts'
import { corpus, form, settled, upload } from '#test/support/documents.ts'
import { until } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import { startToyTextract, type ToyTextract } from '#test/support/toy-textract.ts'

/** A service whose Textract holds every scan until the test lets it answer. */
let service: Service
let textract: ToyTextract
let owner: Api
beforeAll(async () => {
  textract = await startToyTextract()
  service = await startService({
    commandLine: ['--empty'],
    workerThreads: true,
    environment: { AWS_ENDPOINT_URL_TEXTRACT: textract.endpoint },
  })
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
})
afterAll(async () => {
  await service?.stop()
  await textract.stop()
})

describe('a document that was accepted', () => {
  it('need not wait for scans that came before it', async () => {
    const scans = await Promise.all(
      ['scan.png', 'scan.jpg', 'scan.png'].map((name) => upload(owner, { bytes: corpus(name) })),
    )
    const states = () =>
      Promise.all(
        scans.map(async ({ body }) => (await owner('GET', `/api/v1/documents/${body.id}`)).body.status),
      )
    // All of them are being read, and none can be finished.
    await expect.poll(textract.waiting, { timeout: 60_000 }).toBe(3)

    const { body } = await upload(owner)
    const read = await settled(owner, body.id)

    expect([read.status, await states()]).toEqual(['processed', Array(3).fill('pending')])
    textract.release('Aktenzeichen 3 O 45/26')
    await expect.poll(states, { timeout: 60_000 }).toEqual(Array(3).fill('processed'))
  })
})

describe('the scans of one firm', () => {
  it('leave a thread for the letter of another, however many they are', async () => {
    textract.hold()
    const [, second] = service.credentials.workspaces
    const other = api(service.baseUrl, second?.users[0]?.api_key)
    const scans = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        upload(owner, { bytes: corpus(at % 2 ? 'scan.png' : 'scan.jpg') }),
      ),
    )
    // As many as may be read at once.
    await expect.poll(textract.waiting, { timeout: 60_000 }).toBe(4)

    const { body } = await upload(other)
    const read = await settled(other, body.id)

    expect([read.status, textract.waiting()]).toEqual(['processed', 4])
    textract.release('Aktenzeichen 3 O 45/26')
    for (const scan of scans) expect((await settled(owner, scan.body.id)).status).toBe('processed')
  })
})

describe('messages of the queue', () => {
  it('delivered twice, for a missing document, or damaged, change nothing', async () => {
    const workspace_id = service.credentials.workspaces[0]?.id
    const { body } = await owner('POST', '/api/v1/inbox/upload', {
      raw: form({
        files: Array.from({ length: 10 }, (_, at) => ({ bytes: `Doppelt ${at}`, filename: `${at}.txt` })),
      }),
    })
    const ids: string[] = body.uploaded.map(({ document_id }: { document_id: string }) => document_id)
    const client = new SQSClient({
      endpoint: service.environment.AWS_ENDPOINT_URL_SQS ?? '',
      region: 'eu-central-1',
      credentials: {
        accessKeyId: service.environment.AWS_ACCESS_KEY_ID ?? '',
        secretAccessKey: service.environment.AWS_SECRET_ACCESS_KEY ?? '',
      },
      useQueueUrlAsEndpoint: false,
    })
    const send = (message: object | string) =>
      client.send(
        new SendMessageCommand({
          QueueUrl: service.environment.EXTRACT_QUEUE_URL,
          MessageBody: typeof message === 'string' ? message : JSON.stringify(message),
        }),
      )

    await Promise.all(ids.map((document_id) => send({ workspace_id, document_id })))
    await send({ workspace_id, document_id: 'doc_01993f5e-0000-7000-8000-000000000000' })
    await send('{kein JSON')
    await Promise.all(ids.map((id) => settled(owner, id)))
    // The triage result is a separate change, which comes later.
    type Item = { id: string; triage: object | null }
    await until(
      owner,
      '/api/v1/inbox?kind=document&limit=100',
      ({ data }: { data: Item[] }) =>
        data.filter(({ id, triage }) => ids.includes(id) && triage !== null).length === ids.length,
    )
    const first = await Promise.all(ids.map((id) => settled(owner, id)))
    await Promise.all(ids.map((document_id) => send({ workspace_id, document_id })))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const second = await Promise.all(ids.map((id) => settled(owner, id)))
    client.destroy()

    expect(first.map(({ status }) => status)).toEqual(Array(10).fill('processed'))
    expect(second).toEqual(first)
  })
})
