import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import { createClient } from '#store/client.ts'
import { correspondenceStore } from '#store/correspondence/correspondence-store.ts'
import { tableCursors } from '#store/cursor.ts'
import { outbox } from '#store/outbox.ts'
import { type Answer, type Api, api } from '#test/support/api.ts'
import { type FaultySes, faultySes, type MailFault, taken } from '#test/support/faulty-ses.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { newAddress, outbound, sentTo, until } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import { loggedEvents, showingEventsAtOnce } from '#test/support/webhook-events.ts'
import { applyRule } from '#timeline/schema.ts'

/** The answers to callers when SES is slow, breaks off, refuses or answers nonsense (M5). */
let service: Service
let ses: FaultySes
let owner: Api
const faults = new Map<string, (attempt: number) => MailFault>()

beforeAll(async () => {
  ses = await faultySes()
  ses.fault = ([address = ''], attempt) => faults.get(address)?.(attempt) ?? taken
  const environment = { ...showingEventsAtOnce, AWS_ENDPOINT_URL_SES: ses.url }
  service = await startService({ commandLine: ['--empty'], environment })
  await ses.serve(service)
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
})
afterAll(async () => {
  await service?.stop()
  await ses?.close()
  vi.unstubAllEnvs()
})

const answerOf = ({ status, body }: Answer) => [status, body.error?.code]
const sent = [200, undefined]
const inProgress = [409, 'SEND_IN_PROGRESS']
const notSent = [502, 'MAIL_NOT_SENT']

const errorOf = (code: string, message: string, status = 400): MailFault => ({
  take: false,
  answer: {
    status,
    body: `<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
  },
})
const page = (status: number): MailFault => ({
  take: false,
  answer: { status, type: 'text/html', body: '<html><h1>Something is wrong</h1></html>' },
})

/** A mail whose sending fails in this way, and the known facts about it. */
async function mail(fault: (attempt: number) => MailFault) {
  const to = newAddress()
  faults.set(to, fault)
  const body = { to_recipients: [to], subject: 'Frist', idempotency_key: crypto.randomUUID() }
  const record = async () => {
    const { data } = (await owner('GET', `/api/v1/correspondence?search=${encodeURIComponent(to)}`)).body
    expect(data.length).toBeLessThan(2)
    return data[0]
  }
  return {
    to,
    ask: () => owner('POST', `${outbound}/send`, { body }),
    asked: () => ses.asked.filter(([address]) => address === to).length,
    messages: async () => (await sentTo(to, service.dataDir)).length,
    record,
    status: async () => (await record())?.status,
    settled: () =>
      until(
        owner,
        `/api/v1/correspondence?search=${encodeURIComponent(to)}`,
        ({ data }) => data[0]?.status === 'sent',
      ),
  }
}

async function draftTo(to: string): Promise<string> {
  const body = { to: [to], subject: 'Entwurf' }
  return `${outbound}/drafts/${(await owner('POST', `${outbound}/drafts`, { body })).body.id}`
}

/** Lets the ten minutes of a send be over. */
async function tenMinutesLater(id: string): Promise<void> {
  const db = { client: createClient(), table: service.environment.TABLE_NAME ?? '' }
  const log = { error: console.error }
  const store = correspondenceStore({
    db,
    cursors: tableCursors(db),
    outbox: outbox(db, jobRunner(), log),
    providerDomain: messageIdDomain(),
  })
  await applyRule(store, service.credentials.workspaces[0]?.id ?? '', id, (current) => ({
    record: {
      ...current,
      sending_since: new Date(epochMilliseconds() - 10 * 60_000).toISOString(),
      version: current.version + 1,
    },
  }))
}

// Slow answers of SES cost the tests no time, since they run concurrently.
describe.concurrent('a mail', () => {
  it.each([
    ['answers after 40 seconds', { ...taken, answerAfter: 40_000 }],
    ['takes it after the caller has left', { ...taken, after: 17_000 }],
  ])(
    'that SES %s is under way until the event comes, and is sent once',
    async (_, fault) => {
      const one = await mail(() => fault)

      const first = await one.ask()

      expect(answerOf(first)).toEqual(inProgress)
      await one.settled()
      expect(answerOf(await one.ask())).toEqual(sent)
      expect([one.asked(), await one.messages()]).toEqual([1, 1])
    },
    180_000,
  )

  it('is under way, not sent, and not tried again if the connection breaks before SES took it', async () => {
    const one = await mail(() => ({ take: false, answer: 'drop' }))

    const answers = [await one.ask(), await one.ask()]

    expect(answers.map(answerOf)).toEqual([inProgress, inProgress])
    expect([await one.status(), one.asked(), await one.messages()]).toEqual(['sending', 1, 0])
  })

  it('is sent as soon as the event comes if the connection breaks after SES took it', async () => {
    const one = await mail(() => ({ take: true, answer: 'drop' }))

    expect(answerOf(await one.ask())).toEqual(inProgress)

    await one.settled()
    expect(answerOf(await one.ask())).toEqual(sent)
    expect([one.asked(), await one.messages()]).toEqual([1, 1])
  })

  it.each([
    ['a page with 500', page(500)],
    ['a page of a proxy with 403', page(403)],
    ['an error of its own with 503', errorOf('ServiceUnavailable', 'Down', 503)],
    ['a message without an id', { take: false, answer: { status: 200, body: '<SendRawEmailResponse/>' } }],
    ['nothing', { take: false, answer: { status: 200, body: '' } }],
  ] as [
    string,
    MailFault,
  ][])('that SES answers with %s is under way, and not tried again', async (_, fault) => {
    const one = await mail(() => fault)

    const answers = [await one.ask(), await one.ask()]

    expect(answers.map(answerOf)).toEqual([inProgress, inProgress])
    expect([await one.status(), one.asked(), await one.messages()]).toEqual(['sending', 1, 0])
  })

  it('that SES throttles at first is sent once', async () => {
    const one = await mail((attempt) =>
      attempt < 3 ? errorOf('Throttling', 'Maximum sending rate exceeded.') : taken,
    )

    expect(answerOf(await one.ask())).toEqual(sent)
    expect([await one.status(), one.asked(), await one.messages()]).toEqual(['sent', 3, 1])
  })

  it('that SES refuses is not sent, and the same key may try again', async () => {
    let isDown = true
    const one = await mail(() =>
      isDown ? errorOf('MessageRejected', 'Email address is not verified.') : taken,
    )

    const refusals = [await one.ask(), await one.ask()]
    const failed = await one.status()
    isDown = false
    const last = await one.ask()

    expect(refusals.map(answerOf)).toEqual([notSent, notSent])
    expect([failed, answerOf(last), await one.status()]).toEqual(['failed', sent, 'sent'])
    expect([one.asked(), await one.messages()]).toEqual([3, 1])
    const { id } = await one.record()
    const events = (await loggedEvents(owner, 'type=mail.*')).filter(({ data }) => data.id === id)
    expect(events.map(({ type }) => type)).toEqual(['mail.failed', 'mail.failed', 'mail.sent'])
  })

  it('that SES refuses for now goes out once, though twenty callers repeat it at once', async () => {
    let isDown = true
    const one = await mail(() => (isDown ? errorOf('MessageRejected', 'Not now.') : taken))
    await one.ask()
    isDown = false

    const answers = await Promise.all(Array.from({ length: 20 }, one.ask))

    for (const answer of answers) expect([sent, inProgress]).toContainEqual(answerOf(answer))
    expect(answerOf(await one.ask())).toEqual(sent)
    expect([one.asked(), await one.messages()]).toEqual([2, 1])
  })

  it('to an address that SES does not take is 400 and names the field', async () => {
    const one = await mail(() => errorOf('InvalidParameterValue', 'Domain contains illegal character'))

    const answer = await one.ask()

    expect(answerOf(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details[0].path).toBe('body.to_recipients')
    expect([await one.status(), await one.messages()]).toEqual(['failed', 0])
  })

  it('has failed for good, and is not tried again, if SES reports nothing about it for ten minutes', async () => {
    const one = await mail(() => ({ take: false, answer: 'drop' }))
    await one.ask()
    await tenMinutesLater((await one.record()).id)

    const answers = [await one.ask(), await one.ask()]

    expect(answers.map(answerOf)).toEqual([notSent, notSent])
    expect([await one.status(), one.asked(), await one.messages()]).toEqual(['failed', 1, 0])
  })

  it('that SES takes after ten minutes is sent once its event comes', async () => {
    // Prepare
    const one = await mail(() => ({ take: true, after: 12_000, answer: 'as SES' }))
    const asking = one.ask()
    await vi.waitFor(() => expect(one.asked()).toBe(1), { timeout: 60_000 })
    await tenMinutesLater((await one.record()).id)

    // Act
    const [answer, status] = [await one.ask(), await one.status()]
    await one.settled()

    // Assess
    expect([answerOf(answer), status]).toEqual([notSent, 'failed'])
    expect(answerOf(await one.ask())).toEqual(sent)
    // A send waits for SES for fifteen seconds, which a busy machine may exceed.
    expect([sent, inProgress]).toContainEqual(answerOf(await asking))
    expect([one.asked(), await one.messages()]).toEqual([1, 1])
  })

  it('that a draft holds can be changed and sent anew where it was refused or lost, never while it is under way', async () => {
    // Prepare
    const [refused, lost] = [newAddress(), newAddress()]
    faults.set(refused, (attempt) => (attempt === 1 ? errorOf('MessageRejected', 'Not now.') : taken))
    faults.set(lost, (attempt) => (attempt === 1 ? { take: false, answer: 'drop' } : taken))
    const [one, other] = [await draftTo(refused), await draftTo(lost)]
    const statuses = async () =>
      Promise.all([one, other].map(async (path) => (await owner('GET', path)).body.status))
    const change = (path: string) => owner('PUT', path, { body: { subject: 'Neu' } })

    // Act and assess, step by step
    const first = [await owner('POST', `${one}/send`), await owner('POST', `${other}/send`)]
    expect(first.map(answerOf)).toEqual([notSent, inProgress])
    expect(await statuses()).toEqual(['failed', 'sending'])
    expect(answerOf(await change(other))).toEqual([409, 'DRAFT_ALREADY_SENT'])
    const { data } = (await owner('GET', `/api/v1/correspondence?search=${encodeURIComponent(lost)}`)).body
    await tenMinutesLater(data[0].id)
    expect(await statuses()).toEqual(['failed', 'failed'])
    expect(answerOf(await owner('POST', `${other}/send`))).toEqual(notSent)
    const changed = [await change(one), await change(other)]
    expect(changed.map(({ body }) => body.status)).toEqual(['draft', 'draft'])
    const again = [await owner('POST', `${one}/send`), await owner('POST', `${other}/send`)]
    expect(again.map(answerOf)).toEqual([sent, sent])
    expect(await statuses()).toEqual(['sent', 'sent'])
    for (const address of [refused, lost]) {
      const messages = await sentTo(address, service.dataDir)
      expect(messages.map(({ mail: { subject } }) => subject)).toEqual(['Neu'])
    }
  })
})

// It moves the clock of the service, so it is the last.
describe('a lost mail', () => {
  it('is an event and a change ten minutes later, once, although nobody asks for it; a sent one is none', async () => {
    const lost = await mail(() => ({ take: false, answer: 'drop' }))
    const arrived = await mail(() => taken)
    const before = new Date(epochMilliseconds()).toISOString()
    expect([answerOf(await lost.ask()), answerOf(await arrived.ask())]).toEqual([inProgress, sent])
    const ids = [(await lost.record()).id, (await arrived.record()).id]
    const failures = async () => (await loggedEvents(owner, 'type=mail.failed')).map(({ data }) => data.id)

    await moveClock(service, 'PT9M')
    const early = (await failures()).filter((id) => ids.includes(id))
    await moveClock(service, 'PT3M')
    const changed = await owner('GET', `/api/v1/correspondence?updated_since=${before}`)
    await moveClock(service, 'PT1H')

    expect([early, (await failures()).filter((id) => ids.includes(id))]).toEqual([[], [ids[0]]])
    expect(changed.body.data).toContainEqual(expect.objectContaining({ id: ids[0], status: 'failed' }))
    expect([lost.asked(), await lost.messages()]).toEqual([1, 0])
  })
})
