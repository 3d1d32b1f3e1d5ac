import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Api, api } from '#test/support/api.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { type Service, startService } from '#test/support/service.ts'
import { shownEvents } from '#test/support/webhook-events.ts'
import { addHook, deliveriesTo, receivers } from '#test/support/webhook-receiver.ts'

/** What happens at its time, on a service whose clock the tests move. */

const [minute, hour] = [60_000, 3_600_000]

let service: Service
let owner: Api
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty', '--at', '2027-01-04T08:00:00+01:00'] })
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
})
afterAll(() => service.stop())

describe('deadline.overdue (E1, E10):', () => {
  let case_id: string
  beforeAll(async () => {
    case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
  })

  const now = async (): Promise<number> =>
    Date.parse(((await (await fetch(`${service.baseUrl}/local/clock`)).json()) as { now: string }).now)

  /** A time as deadlines have them: without fractions of a second. */
  const inMinutes = async (minutes: number) =>
    `${new Date((await now()) + minutes * minute).toISOString().slice(0, 19)}Z`

  const act = async (method: string, path: string, body: object) => {
    const answer = await owner(method, path, { body })
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  const enter = async (due_at: string): Promise<string> =>
    (await act('POST', '/api/v1/deadlines', { title: 'Berufung', case_id, due_at })).id
  const on = (id: string, action: string, body: object) =>
    act('POST', `/api/v1/deadlines/${id}/${action}`, body)
  const complete = (id: string) => on(id, 'complete', { evidence: { type: 'note', text: 'Per Boten' } })

  /** When the log says that a deadline is overdue, after everything that has happened is in it. */
  const overdueAt = async (id: string): Promise<number[]> => {
    await moveClock(service, 'PT3S')
    return (await shownEvents(owner, 'type=deadline.overdue'))
      .filter(({ data }) => data.id === id)
      .map(({ occurred_at, data }) => {
        expect(data).toEqual({ id, case_id })
        return Date.parse(occurred_at)
      })
  }

  it('a deadline whose time passes is overdue once, within two minutes', async () => {
    const due_at = await inMinutes(30)
    const id = await enter(due_at)
    await moveClock(service, 'PT29M')
    const before = await overdueAt(id)

    await moveClock(service, 'PT3M')
    await moveClock(service, 'PT2H')

    const [at = 0, ...others] = await overdueAt(id)
    expect(before).toEqual([])
    expect(at - Date.parse(due_at)).toBeGreaterThanOrEqual(0)
    expect(at - Date.parse(due_at)).toBeLessThan(2 * minute)
    expect(others).toEqual([])
  })

  it('a deadline that is created in the past is overdue at once', async () => {
    const id = await enter(await inMinutes(-60 * 24 * 3))

    const events = await overdueAt(id)
    await moveClock(service, 'PT5M')

    expect(events).toHaveLength(1)
    expect(await overdueAt(id)).toEqual(events)
  })

  it.each([
    ['completed', complete],
    ['struck', (id: string) => act('DELETE', `/api/v1/deadlines/${id}`, { reason: 'Doppelt' })],
    ['put off', (id: string) => act('PATCH', `/api/v1/deadlines/${id}`, { due_at: '2031-04-16' })],
  ])('a deadline that was %s before its time is not overdue', async (_, change) => {
    const id = await enter(await inMinutes(30))
    await change(id)

    await moveClock(service, 'PT1H')

    expect(await overdueAt(id)).toEqual([])
  })

  it('a verified deadline is overdue too, and so is that of a deleted case', async () => {
    const other = (await act('POST', '/api/v1/cases', { name: 'Gelöschte Akte' })).id
    const body = { title: 'Klage', case_id: other, due_at: await inMinutes(30) }
    const { id } = await act('POST', '/api/v1/deadlines', body)
    await owner('DELETE', `/api/v1/cases/${other}`)

    await moveClock(service, 'PT1H')
    await moveClock(service, 'PT3S')

    const events = await shownEvents(owner, `type=deadline.overdue&case_id=${other}`)
    expect(events.map(({ data }) => data)).toEqual([{ id, case_id: other }])
  })

  it('a deadline that is reopened is overdue if it was not before', async () => {
    const [said, unsaid] = [await enter(await inMinutes(30)), await enter(await inMinutes(30))]
    await complete(unsaid)
    await moveClock(service, 'PT1H')
    await complete(said)

    for (const id of [said, unsaid]) await on(id, 'reopen', { reason: 'Irrtum' })
    await moveClock(service, 'PT2M')

    expect(await overdueAt(said)).toHaveLength(1)
    expect(await overdueAt(unsaid)).toHaveLength(1)
  })

  it('a deadline that gets another due time is overdue once for each', async () => {
    const first = await inMinutes(30)
    const id = await enter(first)
    const moveTo = (due_at: string) => act('PATCH', `/api/v1/deadlines/${id}`, { due_at })
    await moveClock(service, 'PT1H')
    await moveTo(await inMinutes(60))
    await moveClock(service, 'PT2H')
    const both = await overdueAt(id)

    await moveTo(first)
    await moveClock(service, 'PT2M')
    const back = await overdueAt(id)
    await moveTo(await inMinutes(-20))
    await moveClock(service, 'PT2M')

    expect(both).toHaveLength(2)
    expect(back).toEqual(both)
    expect(await overdueAt(id)).toHaveLength(3)
  })

  it('hundred deadlines of one moment are all overdue in it', async () => {
    const due_at = await inMinutes(60 * 24)
    const ids = await Promise.all(Array.from({ length: 100 }, () => enter(due_at)))

    await moveClock(service, 'P2D')
    await moveClock(service, 'PT3S')

    const events = await shownEvents(owner, 'type=deadline.overdue')
    const found = events.filter(({ data }) => ids.includes(data.id))
    expect(new Set(found.map(({ data }) => data.id))).toEqual(new Set(ids))
    expect(found).toHaveLength(100)
    for (const { occurred_at } of found)
      expect(Date.parse(occurred_at) - Date.parse(due_at)).toBeLessThan(2 * minute)
  })
})

describe('attempts after the first (E4), health (E5), and what waits for an endpoint:', () => {
  const path = '/api/v1/webhooks/endpoints'
  const startOne = receivers()
  const hooks: string[] = []
  afterEach(async () => {
    await Promise.all(hooks.splice(0).map((id) => owner('DELETE', `${path}/${id}`)))
  })

  async function target(...answer: Parameters<typeof startOne>) {
    const receiver = await startOne(...answer)
    const hook = await addHook(owner, `${receiver.url}?token=geheim`, { event_types: ['case.*'] })
    hooks.push(hook.id)
    return { receiver, hook }
  }

  const open = async (): Promise<string> =>
    (await owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
  const shown = async (id: string) => (await owner('GET', `${path}/${id}`)).body
  const attemptsOf = async (hook: { id: string }) =>
    (await deliveriesTo(owner, hook))[0].attempts.map(({ at }: { at: string }) => Date.parse(at))
  const mails = async (): Promise<{ id: string; subject: string; to: string }[]> => {
    const found = await owner('GET', '/api/v1/correspondence?direction=outbound&limit=100')
    return found.body.data
  }

  describe('a delivery that fails', () => {
    it('is attempted ten times at the promised pauses, each up to a tenth later, with one id', async () => {
      const { receiver, hook } = await target(500)
      await open()
      await receiver.first()

      await moveClock(service, 'P4D')

      const [delivery] = await deliveriesTo(owner, hook)
      const attempts = await attemptsOf(hook)
      const pauses = attempts.slice(1).map((at: number, before: number) => at - attempts[before])
      const promised = [
        5_000,
        5 * minute,
        30 * minute,
        2 * hour,
        5 * hour,
        10 * hour,
        14 * hour,
        20 * hour,
        24 * hour,
      ]
      expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null })
      expect(pauses).toHaveLength(9)
      for (const [at, pause] of promised.entries()) {
        expect(pauses[at]).toBeGreaterThanOrEqual(pause)
        // The clock stops at each due moment; what it goes on ticking meanwhile is allowed.
        expect(pauses[at]).toBeLessThan(pause * 1.1 + minute / 2)
      }
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      const stamps = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
      expect(stamps).toEqual(attempts.map((at: number) => Math.floor(at / 1_000)))
    })

    it('succeeds when the receiver works again, and is not sent after that', async () => {
      const { receiver, hook } = await target(503)
      await open()
      await receiver.first()
      receiver.answer(204)

      await moveClock(service, 'P2D')

      const [delivery] = await deliveriesTo(owner, hook)
      expect(receiver.received).toHaveLength(2)
      expect(delivery.status).toBe('succeeded')
      expect(
        delivery.attempts.map(({ status_code, error }: Record<string, unknown>) => [status_code, error]),
      ).toEqual([
        [503, 'not_2xx'],
        [204, null],
      ])
    })

    it.each([
      ['7200', 2 * hour],
      ['99999999', 24 * hour],
    ])('waits as long as Retry-After asks (%s), at most a day', async (asked, least) => {
      const { receiver, hook } = await target((_, response) => {
        response.writeHead(429, { 'retry-after': asked }).end()
      })
      await open()
      await receiver.first()

      // It is recorded some milliseconds after the answer.
      await expect.poll(() => deliveriesTo(owner, hook), { timeout: 60_000 }).toHaveLength(1)
      const before = await deliveriesTo(owner, hook)
      await moveClock(service, 'P2D')

      const [first, second] = await attemptsOf(hook)
      expect(Date.parse(before[0].next_attempt_at) - first).toBeGreaterThanOrEqual(least - 1_000)
      expect(second - first).toBeGreaterThanOrEqual(least - 1_000)
      expect(second - first).toBeLessThan(least + 2 * minute)
    })

    it('carries both signatures after the secret was rotated, and only the new one after the overlap', async () => {
      const { receiver, hook } = await target(500)
      await open()
      await receiver.first()
      const rotated = await owner('POST', `${path}/${hook.id}/rotate-secret`, { body: { overlap_hours: 1 } })
      const verifies = (secret: string, at: number) => {
        const { body, headers } = receiver.received[at] as (typeof receiver.received)[number]
        // The library allows five minutes; the clock of the service is in another year.
        const id = headers['webhook-id'] as string
        const stamp = Number(headers['webhook-timestamp'])
        const expected = new Webhook(secret).sign(id, new Date(stamp * 1_000), body)
        return headers['webhook-signature']?.split(' ').includes(expected)
      }

      await moveClock(service, 'PT30M')
      await moveClock(service, 'P1D')

      const last = receiver.received.length - 1
      expect([verifies(hook.secret, 0), verifies(rotated.body.secret, 0)]).toEqual([true, false])
      expect([verifies(hook.secret, 1), verifies(rotated.body.secret, 1)]).toEqual([true, true])
      expect([verifies(hook.secret, last), verifies(rotated.body.secret, last)]).toEqual([false, true])
    })

    it('is not sent any more once its endpoint is deleted', async () => {
      const { receiver, hook } = await target(500)
      await open()
      await receiver.first()

      expect((await owner('DELETE', `${path}/${hook.id}`)).status).toBe(204)
      await moveClock(service, 'P4D')

      expect(receiver.received.length).toBeLessThanOrEqual(2)
      expect((await owner('GET', `${path}/${hook.id}/deliveries`)).status).toBe(404)
    })
  })

  describe('an endpoint in which nothing succeeds', () => {
    it('is disabled after five days and two notices to the admins, and enabling it sends everything', async () => {
      const { receiver, hook } = await target(500)
      const first = await open()
      await receiver.first()
      const before = (await mails()).length

      await moveClock(service, 'PT47H')
      const early = (await mails()).length - before
      await moveClock(service, 'PT2H')
      const afterTwoDays = (await mails()).length - before
      await moveClock(service, 'PT48H')
      const afterFourDays = (await mails()).length - before
      const stillActive = await shown(hook.id)
      await moveClock(service, 'PT24H')
      const disabled = await shown(hook.id)
      const meanwhile = await open()
      await moveClock(service, 'PT1H')
      const sentMeanwhile = receiver.received.some(({ event }) => event.data.id === meanwhile)
      receiver.answer(204)
      await owner('PATCH', `${path}/${hook.id}`, { body: { status: 'active' } })
      await moveClock(service, 'PT5M')

      expect([early, afterTwoDays, afterFourDays]).toEqual([0, 1, 2])
      const { body: mail } = await owner('GET', `/api/v1/correspondence/${(await mails())[0]?.id}`)
      expect(JSON.stringify(mail)).toContain(`${new URL(receiver.url).origin}</b> (${hook.id})`)
      expect(JSON.stringify(mail)).not.toContain('geheim')
      expect(stillActive.status).toBe('active')
      expect(disabled).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
      expect(sentMeanwhile).toBe(false)
      const succeeded = (await deliveriesTo(owner, hook, 'status=succeeded')).map(
        ({ event_id }: { event_id: string }) => event_id,
      )
      const idsOf = (id: string) =>
        receiver.received
          .filter(({ event }) => event.data.id === id)
          .map(({ headers }) => headers['webhook-id'])
      expect(succeeded).toEqual(expect.arrayContaining([idsOf(first)[0], idsOf(meanwhile)[0]]))
      expect(idsOf(meanwhile)).toHaveLength(1)
      const events = await owner('GET', '/api/v1/webhooks/events?type=webhook.disabled')
      expect(events.body.data.map(({ data }: { data: { id: string } }) => data.id)).toContain(hook.id)
    })

    it('stays active if one delivery succeeds in between', async () => {
      const { receiver, hook } = await target(500)
      await open()
      await receiver.first()
      await moveClock(service, 'P3D')
      receiver.answer(204)
      const good = await open()
      await receiver.until((all) => all.some(({ event }) => event.data.id === good))
      receiver.answer(500)
      await open()

      await moveClock(service, 'P3D')

      expect((await shown(hook.id)).status).toBe('active')
    })

    it('is disabled at once by 410; what failed is sent again when it is enabled', async () => {
      const { receiver, hook } = await target(500)
      const first = await open()
      await receiver.first()
      receiver.answer(410)
      const second = await open()
      await receiver.until((all) => all.some(({ event }) => event.data.id === second))
      await moveClock(service, 'PT1M')
      const gone = await shown(hook.id)
      const states = (await deliveriesTo(owner, hook)).map(({ status }: { status: string }) => status)

      receiver.answer(204)
      receiver.received.splice(0)
      await owner('PATCH', `${path}/${hook.id}`, { body: { status: 'active' } })
      await moveClock(service, 'PT5M')

      expect(gone).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
      expect(new Set(states)).toEqual(new Set(['failed']))
      expect(receiver.received.map(({ event }) => event.data.id)).toEqual(
        expect.arrayContaining([first, second]),
      )
    })
  })

  it('a delivery is shown for thirty days from its last attempt', async () => {
    const { receiver, hook } = await target(500)
    await open()
    await receiver.first()
    await moveClock(service, 'P4D')
    const [{ id, event_id }] = await deliveriesTo(owner, hook)

    await moveClock(service, 'P27D')
    const before = await deliveriesTo(owner, hook)
    await moveClock(service, 'P4D')

    expect(before).toHaveLength(1)
    for (const query of ['', 'status=failed', `event_id=${event_id}`])
      expect(await deliveriesTo(owner, hook, query)).toEqual([])
    expect((await owner('POST', `${path}/${hook.id}/deliveries/${id}/resend`)).status).toBe(404)
  })

  it('ninety days in one step do everything that is due, in order', async () => {
    const { receiver, hook } = await target(500)
    await open()
    await receiver.first()

    await moveClock(service, 'P90D')

    const attempts = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(attempts).toEqual(attempts.toSorted((one, other) => one - other))
    expect(attempts).toHaveLength(10)
    expect(await shown(hook.id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
  })
})
