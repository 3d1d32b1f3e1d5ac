import { afterEach, expect, it, vi } from 'vitest'
import type { Actor } from '#kernel/actor.ts'
import { systemClock } from '#kernel/clock.ts'
import { uuidv7 } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { EndpointRecord } from '#webhooks/endpoint-ports.ts'
import { deliveryService } from '#webhooks/sent.ts'

/** The refusals of a replay (E6), without a service. */

afterEach(() => void vi.useRealTimers())

const actor = { workspace_id: 'ws_1', user_id: 'usr_1' } as Actor

/** A log that does not end, and each page of which takes a second. */
function replaying({ open = 0 } = {}) {
  vi.useFakeTimers({ toFake: ['performance'] })
  const added: unknown[] = []
  const { replay } = deliveryService({
    endpoints: {
      find: async () =>
        ({ id: 'whk_1', workspace_id: 'ws_1', event_types: ['*'], acts_for: null }) as EndpointRecord,
    },
    deliveries: { page: () => Promise.reject(), resend: () => Promise.reject() },
    dispatches: {
      countReplays: async () => open,
      addReplay: async (_, replay, { answer }) => {
        added.push(replay)
        return unchanged(answer)
      },
    },
    events: {
      read: async () => {
        vi.advanceTimersByTime(1_000)
        return { found: [], upTo: uuidv7(), ended: false, at: systemClock.now() }
      },
      placeOf: () => Promise.reject(),
      needsOf: async () => new Map(),
    },
    beaRightsOf: async () => () => false,
    send: async () => {},
    clock: systemClock,
    log: { error: () => {} },
  })
  return { replay: () => replay(actor, 'whk_1', {}), added }
}

it('a replay whose events cannot be counted in time is refused, and names what limits it', async () => {
  const { replay, added } = replaying()

  await expect(replay()).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ path: 'body.after' }, { path: 'body.until' }],
  })
  expect(added).toEqual([])
})

it('an eleventh replay that waits is refused', async () => {
  const { replay } = replaying({ open: 10 })

  await expect(replay()).rejects.toMatchObject({ code: 'WEBHOOK_REPLAY_LIMIT' })
})
