import { expect, it } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { identity } from '#test/support/bea-remote.ts'
import { unknownSend } from '#test/support/bea-sends.ts'
import { newFirm } from '#test/support/firm.ts'
import { briefly, loggedEvents, shownEvents } from '#test/support/webhook-events.ts'
import { addHook, receivers } from '#test/support/webhook-receiver.ts'

const receiver = receivers()

/** Which events of beA a user sees (B8, E2): the events of messages and drafts that the user may read. */

async function prepare() {
  const firm = await newFirm()
  const office = await beaOffice(firm)
  const open = await office.receive()
  const secret = await office.receive({ is_confidential: true, is_eeb_requested: true })
  const { body } = await firm.owner('POST', '/api/v1/bea/drafts', {
    body: { account_id: office.account.id, subject: 'Entwurf' },
  })
  await unknownSend(firm.workspace.id, body.id)
  const resolve = await firm.owner('POST', `/api/v1/bea/drafts/${body.id}/resolve`, {
    body: { outcome: 'not_sent' },
  })
  expect(resolve.status).toBe(200)
  const events = {
    open: [`bea_message.received ${open}`],
    secret: [`bea_message.received ${secret}`, `eeb.requested ${secret}`],
    draft: [`bea_message.failed ${body.id}`],
  }
  /** The events that a colleague with these rights sees. */
  const seenWith = async (...rights: string[]) => {
    const { api, user } = await firm.colleague()
    if (rights.length > 0) await office.grant(user.id, ...rights)
    return briefly(await shownEvents(api, 'type=bea_message.*&type=eeb.*'))
  }
  return { firm, office, events, seenWith }
}

it('a user sees the events of messages and drafts that the rights at the account let the user read', async () => {
  const { firm, events, seenWith } = await prepare()

  const all = briefly(await loggedEvents(firm.owner, 'type=bea_message.*&type=eeb.*'))

  expect(all).toEqual([...events.open, ...events.secret, ...events.draft])
  expect(await seenWith()).toEqual([])
  expect(await seenWith('01')).toEqual([])
  expect(await seenWith('06')).toEqual(events.open)
  expect(await seenWith('07')).toEqual(events.open)
  expect(await seenWith('11')).toEqual(events.secret)
  expect(await seenWith('03')).toEqual(events.draft)
  expect(await seenWith('03', '06', '12')).toEqual(all)
})

it('an endpoint gets the events of beA that the user may see who has set its address', async () => {
  const firm = await newFirm()
  const office = await beaOffice(firm)
  const { api: admin, user } = await firm.colleague()
  await office.grant(user.id, '06')
  const [all, some, moved] = [await receiver(), await receiver(), await receiver()]
  await addHook(firm.owner, all.url, { event_types: ['bea_message.*'] })
  await addHook(admin, some.url, { event_types: ['bea_message.*'] })
  const hook = await addHook(firm.owner, all.url, { event_types: ['bea_message.*'] })
  await admin('PATCH', `/api/v1/webhooks/endpoints/${hook.id}`, { body: { url: moved.url } })

  const secret = await office.receive({ is_confidential: true })
  const open = await office.receive()
  await all.until(({ length }) => length === 2)
  await Promise.all([some.first(), moved.first()])
  const replay = await admin('POST', `/api/v1/webhooks/endpoints/${hook.id}/replay`, { body: {} })
  await moved.until(({ length }) => length === 2)

  const idsIn = ({ received }: typeof all) => received.map(({ event }) => event.data.id)
  expect(new Set(idsIn(all))).toEqual(new Set([secret, open]))
  expect([idsIn(some), idsIn(moved), replay.body.count]).toEqual([[open], [open, open], 1])
  expect([...all.received, ...some.received].map(({ body }) => body).join()).not.toContain(office.account.id)
})

it('a right that is taken back takes the events back', async () => {
  const { firm, office, events } = await prepare()
  const { api, user } = await firm.colleague()
  await office.grant(user.id, '06')
  const before = briefly(await loggedEvents(api, 'type=bea_message.*'))

  await office.grant(user.id)

  expect(before).toEqual(events.open)
  expect(await shownEvents(api, 'type=bea_message.*')).toEqual([])
})

it('a key without bea:read sees none of them, nor does another firm', async () => {
  const { firm } = await prepare()
  const other = await newFirm()
  const keys: Api[] = [await firm.withScopes('cases:read', 'inbox:read', 'bea:write'), other.owner]

  await loggedEvents(firm.owner)

  for (const key of keys)
    expect((await shownEvents(key)).filter(({ type }) => /^(bea|eeb)/.test(type))).toEqual([])
})

it('a sent message that a synchronisation finds is no event', async () => {
  const firm = await newFirm()
  const office = await beaOffice(firm)
  const sender = identity(office.account.postbox_safe_id, 'Wir')
  await office.receive({ sender }, { type: 'SENT', name: null })

  expect(await loggedEvents(firm.owner)).toEqual([])
})

it('answers to events never hold the account or the right that they need', async () => {
  const { firm, office } = await prepare()

  const events = await loggedEvents(firm.owner)

  expect(JSON.stringify(events)).not.toContain(office.account.id)
  for (const event of events) expect(Object.keys(event)).toEqual(['id', 'type', 'occurred_at', 'data'])
})
