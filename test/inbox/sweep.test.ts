import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Arrival } from '#inbox/arrival-schema.ts'
import { sweepArrivals } from '#inbox/sweep.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString()

function setUp(waiting: Record<string, string>, settled: string[] = []) {
  const sentAt = new Map(Object.entries(waiting))
  const sent: Arrival[] = []
  const deps = {
    watches: {
      shards: ['0', '1', '2'],
      due: async function* (shard: string) {
        for (const [id, sent_at] of [...sentAt])
          if (id.endsWith(shard)) yield { workspace_id: 'ws_1', id, sent_at }
      },
      sent: async (id: string, at: Date) => void sentAt.set(id, at.toISOString()),
      forget: async (id: string) => void sentAt.delete(id),
    },
    remainingMessages: async (workspace_id: string, id: string) =>
      settled.includes(id) ? [] : [{ workspace_id, id }],
    send: async (arrival: Arrival) => void sent.push(arrival),
    log: { error: () => {} },
  }
  return { deps, sentAt, sent, ids: () => sent.map(({ id }) => id).toSorted() }
}

const limits = { queueWasLost: false, milliseconds: 10_000 }

describe('the sweep of arrivals', () => {
  it('sends an arrival again after an hour, and then not within the next hour', async () => {
    const { deps, ids } = setUp({ corr_0: minutesAgo(61), doc_1: minutesAgo(500), corr_2: minutesAgo(59) })

    const first = await sweepArrivals(deps, now, limits)
    const second = await sweepArrivals(deps, now, limits)

    expect([first.sent, second.sent]).toEqual([2, 0])
    expect(ids()).toEqual(['corr_0', 'doc_1'])
  })

  it('sends all waiting arrivals at once after the queue was lost', async () => {
    const { deps, ids } = setUp({ corr_0: minutesAgo(0), doc_1: minutesAgo(1), corr_2: minutesAgo(99) })

    await sweepArrivals(deps, now, { ...limits, queueWasLost: true })

    expect(ids()).toEqual(['corr_0', 'corr_2', 'doc_1'])
  })

  it('forgets arrivals that no longer wait, and sends nothing for them', async () => {
    const { deps, sent, sentAt } = setUp({ corr_0: minutesAgo(90), doc_1: minutesAgo(90) }, [
      'corr_0',
      'doc_1',
    ])

    await sweepArrivals(deps, now, limits)

    expect([sent, [...sentAt]]).toEqual([[], []])
  })

  it('sends the other arrivals if one of them fails', async () => {
    const { deps, sent, ids } = setUp({
      corr_0: minutesAgo(90),
      doc_1: minutesAgo(90),
      corr_2: minutesAgo(90),
    })
    const send = async (arrival: Arrival) => {
      if (arrival.id === 'corr_0') throw new Error('The queue refuses it.')
      await sleep(20)
      sent.push(arrival)
    }

    const swept = await sweepArrivals({ ...deps, send }, now, limits)

    expect(swept).toEqual({ sent: 2, failed: 1 })
    expect(ids()).toEqual(['corr_2', 'doc_1'])
  })

  it('sends nothing once its time is over', async () => {
    const { deps, sent } = setUp({ corr_0: minutesAgo(90) })

    await sweepArrivals(deps, now, { ...limits, milliseconds: 0 })

    expect(sent).toEqual([])
  })
})
