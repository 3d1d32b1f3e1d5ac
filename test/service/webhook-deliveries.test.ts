import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Api } from '#test/support/api.ts'
import { newFirm } from '#test/support/firm.ts'
import { loggedEvents } from '#test/support/webhook-events.ts'
import { addHook, deliveriesTo, type Receiver, receivers } from '#test/support/webhook-receiver.ts'

/** Deliveries of events to endpoints, over HTTP (E3 to E7). */

const path = '/api/v1/webhooks/endpoints'
const receiver = receivers()

const open = async (owner: Api): Promise<string> =>
  (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
const openMany = (owner: Api, count: number) => Promise.all(Array.from({ length: count }, () => open(owner)))
const casesIn = (one: Receiver) => one.received.map(({ event }) => event.data.id)
const until = async <Result>(
  get: () => Promise<Result>,
  isEnough: (result: Result) => boolean,
): Promise<Result> => {
  for (let round = 0; ; round += 1) {
    const result = await get()
    if (isEnough(result)) return result
    if (round === 900) throw new Error(JSON.stringify(result))
    await sleep(100)
  }
}

describe('a delivery', () => {
  it('arrives soon after the change, signed so that the published libraries verify it', async () => {
    const { owner } = await newFirm()
    const target = await receiver()
    const hook = await addHook(owner, target.url)
    const id = await open(owner)

    const { event, headers, body } = await target.first()

    expect(event.type).toBe('case.created')
    expect(event.data).toEqual({ id, case_id: id })
    expect(headers['content-type']).toBe('application/json')
    expect(new Webhook(hook.secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new SvixWebhook(hook.secret).verify(body, headers)).not.toThrow()
    expect(() => new SvixWebhook(hook.secret).verify(`${body} `, headers)).toThrow()
    const [delivery] = await until(
      () => deliveriesTo(owner, hook),
      ({ length }) => length > 0,
    )
    expect(delivery).toMatchObject({
      event_id: headers['webhook-id'],
      event_type: 'case.created',
      status: 'succeeded',
      next_attempt_at: null,
      attempts: [{ status_code: 204, error: null }],
    })
    const [logged] = await loggedEvents(owner)
    expect([logged?.id, logged?.occurred_at]).toEqual([headers['webhook-id'], event.timestamp])
  })

  it('holds the types that the endpoint names and no others', async () => {
    const { owner } = await newFirm()
    const [all, parties] = [await receiver(), await receiver()]
    await addHook(owner, all.url)
    await addHook(owner, parties.url, { event_types: ['party.*'] })
    await open(owner)
    await owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })

    await all.until(({ length }) => length >= 2)
    await parties.first()

    expect(parties.received.map(({ event }) => event.type)).toEqual(['party.created'])
  })

  it('is a success with any page if the status is 200, and none with a redirect, which is not followed', async () => {
    const { owner } = await newFirm()
    const [page, trap] = [await receiver(), await receiver()]
    page.answer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Error</h1>'),
    )
    const away = await receiver((_, response) => response.writeHead(307, { location: trap.url }).end())
    const [good, bad] = [await addHook(owner, page.url), await addHook(owner, away.url)]
    await open(owner)

    const first = (hook: { id: string }) =>
      until(
        () => deliveriesTo(owner, hook),
        ({ length }) => length > 0,
      )

    const [[ofGood], [ofBad]] = await Promise.all([first(good), first(bad)])
    expect(ofGood.status).toBe('succeeded')
    // It is tried again after five seconds.
    expect([ofBad.status, ofBad.attempts[0].status_code]).toEqual(['pending', 307])
    expect(trap.received).toEqual([])
  })

  it('of a failing endpoint is listed by its status and by its event, page by page', async () => {
    const { owner } = await newFirm()
    const target = await receiver(500)
    const hook = await addHook(owner, target.url)
    await openMany(owner, 3)
    const all = await until(
      () => deliveriesTo(owner, hook),
      ({ length }) => length === 3,
    )

    const first = await owner('GET', `${path}/${hook.id}/deliveries?limit=2`)
    const second = await owner(
      'GET',
      `${path}/${hook.id}/deliveries?limit=2&cursor=${first.body.pagination.cursor}`,
    )
    const ids = (data: { id: string }[]) => data.map(({ id }) => id)

    expect(ids([...first.body.data, ...second.body.data])).toEqual(ids(all))
    expect(ids(all)).toEqual(ids(all).toSorted().toReversed())
    expect(ids(await deliveriesTo(owner, hook, 'status=pending'))).toEqual(ids(all))
    expect(await deliveriesTo(owner, hook, 'status=succeeded')).toEqual([])
    expect(ids(await deliveriesTo(owner, hook, `event_id=${all[1].event_id}`))).toEqual([all[1].id])
    // The first pause is five seconds, the second one five minutes.
    expect(Date.parse(all[0].next_attempt_at) - Date.parse(all[0].attempts[0].at)).toBeLessThan(60_000)
  })

  it('is sent again on request with the same id, whatever became of it', async () => {
    const { owner } = await newFirm()
    const target = await receiver()
    const hook = await addHook(owner, target.url)
    await open(owner)
    const [delivery] = await until(
      () => deliveriesTo(owner, hook),
      ({ length }) => length > 0,
    )

    const again = await owner('POST', `${path}/${hook.id}/deliveries/${delivery.id}/resend`)
    await target.until(({ length }) => length === 2)

    expect([again.status, again.body.id, again.body.status]).toEqual([202, delivery.id, 'pending'])
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const [after] = await until(
      () => deliveriesTo(owner, hook),
      ([one]) => one.status === 'succeeded',
    )
    expect(after.attempts).toHaveLength(2)
    const unknown = await owner('POST', `${path}/${hook.id}/deliveries/whd_0/resend`)
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'WEBHOOK_DELIVERY_NOT_FOUND'])
  })
})

describe('a replay', () => {
  it('sends a part of the log again, after one event up to another, of the wanted types', async () => {
    const { owner } = await newFirm()
    const target = await receiver()
    for (let made = 0; made < 4; made += 1) await open(owner)
    await owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })
    const events = await loggedEvents(owner)
    const hook = await addHook(owner, target.url, { event_types: ['case.*'] })
    const replay = (body: object) => owner('POST', `${path}/${hook.id}/replay`, { body })

    const part = await replay({ after: events[0]?.id, until: events[2]?.id })
    await target.until(({ length }) => length >= 2)
    const all = await replay({})
    await target.until(({ length }) => length >= 6)
    const none = await replay({ types: ['party.*'] })

    expect([part.status, part.body.count]).toEqual([202, 2])
    expect([all.body.count, none.body.count]).toEqual([4, 0])
    const sent = target.received.map(({ headers }) => headers['webhook-id'])
    expect(sent.slice(0, 2).toSorted()).toEqual([events[1]?.id, events[2]?.id])
    expect(sent.slice(2).toSorted()).toEqual(events.slice(0, 4).map(({ id }) => id))
    const unknown = await replay({ after: 'wev_0' })
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'EVENT_NOT_FOUND'])
  })
})

describe('an endpoint', () => {
  it('gets at most five requests at once, and all of them', async () => {
    const { owner } = await newFirm()
    const target = await receiver((_, response) => void setTimeout(() => response.writeHead(204).end(), 100))
    await addHook(owner, target.url)

    const ids = await openMany(owner, 40)
    await target.until(({ length }) => length >= 40)

    expect(casesIn(target).toSorted()).toEqual(ids.toSorted())
    expect(target.mostAtOnce()).toBeLessThanOrEqual(5)
    expect(target.mostAtOnce()).toBeGreaterThan(1)
  })

  it('is tested once at a time, and a test and its deliveries are five requests at most', async () => {
    const { owner } = await newFirm()
    const target = await receiver((_, response) => void setTimeout(() => response.writeHead(204).end(), 300))
    const hook = await addHook(owner, target.url)
    const test = () => owner('POST', `${path}/${hook.id}/test`)

    const ids = openMany(owner, 20)
    const tests = await Promise.all(Array.from({ length: 10 }, test))
    await ids
    await target.until(({ length }) => length >= 21)
    const later = await test()

    const refused = tests.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body } of refused)
      expect([status, body.error.code]).toEqual([409, 'WEBHOOK_TEST_RUNNING'])
    expect(later.body.delivered).toBe(true)
    expect(target.mostAtOnce()).toBeLessThanOrEqual(5)
  })

  it('that hangs delays neither the others of its firm nor another firm', async () => {
    const [firm, other] = await Promise.all([newFirm(), newFirm()])
    const hanging = await receiver(() => {})
    const [quick, foreign] = [await receiver(), await receiver()]
    await addHook(firm.owner, hanging.url)
    await addHook(firm.owner, quick.url)
    await addHook(other.owner, foreign.url)
    await openMany(firm.owner, 10)
    await hanging.first()

    const begun = epochMilliseconds()
    const [id, foreignId] = await Promise.all([open(firm.owner), open(other.owner)])
    await quick.until(() => casesIn(quick).includes(id))
    await foreign.until(() => casesIn(foreign).includes(foreignId))

    // To wait for the hanging one takes fifteen seconds.
    expect(epochMilliseconds() - begun).toBeLessThan(14_000)
    expect(hanging.mostAtOnce()).toBeLessThanOrEqual(5)
  })

  it('that is disabled gets nothing, and everything once it is enabled', async () => {
    const { owner } = await newFirm()
    const target = await receiver()
    const hook = await addHook(owner, target.url)
    const set = (status: string) => owner('PATCH', `${path}/${hook.id}`, { body: { status } })
    const before = await open(owner)
    await target.first()
    const disabled = await set('disabled')
    const meanwhile = await openMany(owner, 3)
    await sleep(2_500)
    const sentMeanwhile = target.received.length

    await set('active')
    await target.until(({ length }) => length >= 4)
    const after = await open(owner)
    await target.until(({ length }) => length >= 5)

    expect(disabled.body).toMatchObject({ status: 'disabled', disabled_reason: 'by_user' })
    expect(sentMeanwhile).toBe(1)
    expect(casesIn(target).toSorted()).toEqual([before, ...meanwhile, after].toSorted())
  })
})
