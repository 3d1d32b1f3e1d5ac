import { expect, it } from 'vitest'
import { mailReceipts } from '#correspondence/mail-receipts.ts'
import { receivedMailQueue } from '#correspondence/queues.ts'
import { reception } from '#correspondence/reception.ts'
import { newId } from '#kernel/id.ts'
import { receptionInMemory } from './in-memory-reception.ts'

const raw = Buffer.from(
  'From: gericht@ag-koeln.nrw.de\r\nMessage-ID: <1@ag>\r\nSubject: Ladung\r\n\r\nText\r\n',
)

/** Two offices, and a message that SES stored. */
function received(bytes: Uint8Array = raw) {
  const offices = [newId('workspace'), newId('workspace')] as const
  const memory = receptionInMemory({ 'a@mail.example.de': offices[0], 'b@mail.example.de': offices[1] })
  const { deps, files } = memory
  files.set('received/1', bytes)
  const head = async (key: string) => {
    const object = files.get(key)
    return object && { sizeBytes: object.length, etag: `"${object.length}"` }
  }
  const logged: string[] = []
  const log = (message: string) => void logged.push(message)
  const { record } = mailReceipts({
    receive: reception(deps).receive,
    files: { put: deps.files.put, head },
    log: { info: log, warn: log },
  })
  return { ...memory, offices, record, logged }
}

const receipt = (recipients: string[], changes: object = {}) =>
  receivedMailQueue.payload.parse({
    notificationType: 'Received',
    // A bounce has no sender.
    mail: { messageId: 'o3vrnil0e2ic28trm7dfhrc2v0', source: null, timestamp: '2026-03-16T08:30:00.000Z' },
    receipt: {
      recipients,
      spamVerdict: { status: 'FAIL' },
      action: { type: 'S3', bucketName: 'files', objectKey: 'received/1' },
      ...changes,
    },
  })

it('a message becomes one record in each workspace, with its verdicts, and its object in the bucket becomes empty', async () => {
  const { record, records, files, offices } = received()

  await record(receipt(['A@mail.example.de', 'b+akte@mail.example.de', 'niemand@mail.example.de']))

  expect(records.map(({ workspace_id }) => workspace_id).toSorted()).toEqual(offices.toSorted())
  for (const { workspace_id, id, received_at, verdicts, subject } of records) {
    expect([received_at, verdicts?.spam, verdicts?.virus, subject]).toEqual([
      '2026-03-16T08:30:00.000Z',
      'fail',
      'unknown',
      'Ladung',
    ])
    expect(Buffer.from(files.get(`mails/${workspace_id}/${id}/message.eml`) ?? []).equals(raw)).toBe(true)
  }
  expect(files.get('received/1')).toEqual(new Uint8Array())
})

it('a repeated notification changes nothing', async () => {
  const { record, records, files } = received()
  await record(receipt(['a@mail.example.de']))
  const before = new Map(files)

  await record(receipt(['a@mail.example.de']))

  expect(records).toHaveLength(1)
  expect(files).toEqual(before)
})

it('a message that no workspace receives stays in the bucket, and the log names it', async () => {
  const { record, records, files, logged } = received()

  await record(receipt(['niemand@mail.example.de']))

  expect(records).toEqual([])
  expect(files.get('received/1')).toBe(raw)
  expect(logged).toEqual(['mail that no workspace receives is kept for 30 days'])
})

it('a message that cannot be recorded stays in the bucket, and its notification fails; the next attempt completes it', async () => {
  const { record, records, files, failures, offices } = received()
  failures.receive = ({ workspace_id }) =>
    workspace_id === offices[0] ? new Error('The table is not there.') : undefined

  const both = receipt(['a@mail.example.de', 'b@mail.example.de'])
  await expect(record(both)).rejects.toThrow('The table is not there.')
  const [left, recorded] = [files.get('received/1'), records.length]
  delete failures.receive
  await record(both)

  expect([left, recorded]).toEqual([raw, 1])
  expect(records.map(({ workspace_id }) => workspace_id).toSorted()).toEqual(offices.toSorted())
})

it('a notification fails if its message is missing or may not be read: it does not count as recorded', async () => {
  const { record, files } = received()
  files.delete('received/1')

  await expect(record(receipt(['a@mail.example.de']))).rejects.toThrow('received/1 is not in the bucket')
})

it('the notification that SES publishes when the rule is created does nothing', async () => {
  const { record, records } = received()

  await record(receivedMailQueue.payload.parse({ mail: { messageId: 'AMAZON_SES_SETUP_NOTIFICATION' } }))

  expect(records).toEqual([])
})

it.each([
  ['of a message elsewhere', { action: { type: 'S3', objectKey: 'mails/ws_1/corr_1/message.eml' } }],
  ['of another action', { action: { type: 'Lambda', functionArn: 'arn' } }],
  ['without recipients', { recipients: [] }],
])('a receipt %s is refused', (_, changes) => {
  expect(() => receipt(['a@mail.example.de'], changes)).toThrow()
})
