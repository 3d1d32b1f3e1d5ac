import { expect, it } from 'vitest'
import { killedWhileSending } from '#test/support/killed-while-sending.ts'
import { showingEventsAtOnce } from '#test/support/webhook-events.ts'

/** Deliveries while the service dies without warning, again and again (E4). `npm run bench` does it with 10,000 changes. */

it('every event is logged once and arrives, although the service is killed and the receiver fails half the time', async () => {
  const { kills, requests, answered, logged, accepted, unexplained, renamed } = await killedWhileSending({
    changes: 120,
    secondsOfLife: 3,
    lives: 3,
    environment: showingEventsAtOnce,
  })
  const arrived = new Set(accepted)

  expect(kills).toBeGreaterThan(0)
  expect(answered.length).toBeGreaterThan(0)
  expect(new Set(logged).size).toBe(logged.length)
  expect(answered.filter((id) => !logged.includes(id))).toEqual([])
  expect(logged.filter((id) => !arrived.has(id))).toEqual([])
  expect(unexplained).toEqual([])
  expect(renamed).toEqual([])
  expect(requests).toBeGreaterThan(1.5 * logged.length)
}, 600_000)
