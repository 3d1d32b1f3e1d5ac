import { expect, it } from 'vitest'
import { isQuiet, noteAnswer, noteTimeout } from '#webhooks/deliveries/hanging.ts'

const now = new Date('2026-03-16T09:00:00.000Z')
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

/** An endpoint at which this number of requests has timed out. */
function hanging(timeouts: number) {
  const state = { timeouts: null as number | null, quiet_until: null as string | null }
  for (let timeout = 1; timeout <= timeouts; timeout += 1) noteTimeout(state, now)
  return state
}

it.each([
  [1, 2, 10],
  [2, 200, 400],
  [3, 200, 400],
  [20, 200, 400],
])('an endpoint is quiet after %i timeouts, for more than %i and less than %i seconds', (timeouts, least, most) => {
  const state = hanging(timeouts)

  expect([isQuiet(state, inSeconds(least)), isQuiet(state, inSeconds(most))]).toEqual([true, false])
})

it('an endpoint that hung for days is normal again after two answers', () => {
  const state = hanging(20)

  noteAnswer(state)
  expect([isQuiet(state, now), state.timeouts]).toEqual([false, 1])

  noteAnswer(state)
  expect(state).toEqual({ timeouts: null, quiet_until: null })
})
