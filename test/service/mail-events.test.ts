import { beforeAll, describe, expect, it, vi } from 'vitest'
import { mailEventQueue, mailEventsOf } from '#infra/local/emulators/mail-events.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, send, sentTo, until } from '#test/support/sent-mail.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

type Delivery = { email: string; status: string; at: string; reason: string | null }
type Entry = { type: string; summary: string; actor: object; ref: { id: string } }

async function sentMail(prefixes: string[]) {
  const case_id = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Zustellung' } })).body.id
  const to = prefixes.map((prefix) => newAddress(prefix))
  const { id } = (await send(firm.owner, { to, case_id })).body
  const path = `/api/v1/correspondence/${id}`
  const delivery = async (isDone: (all: Delivery[]) => boolean = (all) => all.length === to.length) =>
    (await until(firm.owner, path, (mail) => isDone(mail.delivery))).delivery as Delivery[]
  const entries = async (): Promise<Entry[]> =>
    (await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)).body.data.filter(({ type }: Entry) =>
      type.startsWith('mail.'),
    )
  const [message] = await sentTo(to[0] ?? '')
  if (message === undefined) throw new Error('Nothing was sent.')
  return { id, to, path, delivery, entries, events: mailEventsOf(message.envelope) }
}

const statusesOf = (all: Delivery[]) => Object.fromEntries(all.map(({ email, status }) => [email, status]))

/** Puts events into the queue in this order, and waits until the worker has taken a later one. */
async function emit(events: object[]): Promise<void> {
  for (const [name, value] of Object.entries(sharedService().environment)) vi.stubEnv(name, value)
  const queue = mailEventQueue()
  for (const event of events) await queue.enqueue(event as never)
  queue.close()
  vi.unstubAllEnvs()
  const later = await sentMail([''])
  await later.delivery()
}

describe('events of SES', () => {
  it('show what became of the mail at each recipient, and a bounce as one entry of the case', async () => {
    const mail = await sentMail(['', 'bounce+', 'complaint+', 'delay+'])

    const all = await mail.delivery(
      (one) => one.length === 4 && one.some(({ status }) => status === 'complained'),
    )

    const [good = '', bounced = '', complained = '', delayed = ''] = mail.to
    expect(statusesOf(all)).toEqual({
      [good]: 'delivered',
      [bounced]: 'bounced',
      [complained]: 'complained',
      [delayed]: 'delayed',
    })
    expect(all.find(({ email }) => email === bounced)?.reason).toContain('550 5.1.1 user unknown')
    const entries = await mail.entries()
    expect(entries.map(({ type }) => type).toSorted()).toEqual(['mail.bounced', 'mail.sent'])
    const bounce = entries.find(({ type }) => type === 'mail.bounced')
    expect(bounce).toMatchObject({ ref: { id: mail.id }, actor: { type: 'external' } })
    expect(bounce?.summary).toContain(bounced)
  })

  it('that come twice, and the latest first, change nothing', async () => {
    const mail = await sentMail(['', 'bounce+', 'complaint+', 'delay+'])
    const before = await mail.delivery(
      (one) => one.length === 4 && one.some(({ status }) => status === 'complained'),
    )
    const entries = await mail.entries()

    await emit([...mail.events.toReversed(), ...mail.events, ...mail.events])

    expect(statusesOf(await mail.delivery())).toEqual(statusesOf(before))
    expect(await mail.entries()).toEqual(entries)
  })

  it('of strangers, of no mail and of no kind that is known change nothing and hold up nothing', async () => {
    const mail = await sentMail([''])
    const [before, entries] = [await mail.delivery(), await mail.entries()]
    const event = structuredClone(mail.events.at(-1)) as never as {
      delivery: { recipients: string[] }
      mail: { tags: Record<string, string[]> }
    }
    const changed = (change: (copy: typeof event) => void) => {
      const copy = structuredClone(event)
      change(copy)
      return copy
    }
    const stranger = await newFirm()

    await emit([
      changed((copy) => (copy.delivery.recipients = ['fremd@example.com'])),
      changed((copy) => (copy.mail.tags = {})),
      changed((copy) => (copy.mail.tags.workspace = [stranger.workspace.id])),
      changed((copy) => (copy.mail.tags.correspondence = ['corr_x'])),
      { ...event, eventType: 'Subscription' },
    ])

    expect([await mail.delivery(), await mail.entries()]).toEqual([before, entries])
  })
})
