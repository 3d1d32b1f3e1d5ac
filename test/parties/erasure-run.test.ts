import { describe, expect, it } from 'vitest'
import type { ErasureOrder, ErasureStep, StoredParty } from '#parties/erasure-ports.ts'
import { runErasures } from '#parties/erasure-run.ts'

const minutes = 60_000
const begun = Date.parse('2026-11-27T09:00:00.000Z')

/** An erasure that has begun, in memory, and workers that carry it out with these steps. */
function prepare(...runs: ErasureStep[]) {
  const stored: { order: ErasureOrder | undefined } = {
    order: {
      ...{ workspace_id: 'ws', id: 'pty', shard: '0', place: 'place', user_id: 'usr', key_id: 'key' },
      ...{ step: null, after: null, claimed_until: null },
    },
  }
  const errors: unknown[] = []
  const workAt = (at: number) =>
    runErasures(
      {
        due: {
          shards: ['0'],
          due: async function* () {
            if (stored.order !== undefined) yield stored.order
          },
          claim: async (_, now, until) => {
            const { order } = stored
            if (order === undefined || (order.claimed_until !== null && order.claimed_until > now))
              return undefined
            stored.order = { ...order, claimed_until: until }
            return stored.order
          },
          save: async (claimed, position) => {
            if (stored.order?.claimed_until !== claimed.claimed_until) throw new Error('claimed by another')
            stored.order = { ...claimed, ...position }
            return stored.order
          },
        },
        store: {
          find: async () => ({ id: 'pty', workspace_id: 'ws' }) as StoredParty,
          finish: async () => {
            stored.order = undefined
          },
        },
        steps: runs.map((run, at) => ({ name: `step ${at}`, run })),
        workspaces: { find: async () => ({ time_zone: 'Europe/Berlin' }) },
        clock: { now: () => new Date(at) },
        log: { error: (_, { error }) => errors.push(error) },
      },
      new Date(at),
      { milliseconds: 10_000 },
    )
  return { workAt, errors }
}

describe('an erasure', () => {
  it('is left alone by other workers for as long as a function may run', async () => {
    let runs = 0
    const { workAt, errors } = prepare(async function* () {
      runs += 1
      if (runs === 1) for (let at = 1; at <= 15; at += 1) await workAt(begun + at * minutes)
      yield 'position'
      return undefined
    })

    const { done } = await workAt(begun)

    expect([done, runs, errors]).toEqual([1, 1, []])
  })

  it('is gone on with a minute after its worker could still have run', async () => {
    let runs = 0
    const inStep = Promise.withResolvers<void>()
    const { workAt } = prepare(async function* () {
      runs += 1
      // The worker was killed: it neither ends the step nor gives the erasure back.
      inStep.resolve()
      if (runs === 1) await new Promise(() => undefined)
      yield 'position'
      return undefined
    })
    void workAt(begun)
    await inStep.promise

    const { done } = await workAt(begun + 17 * minutes)

    expect([done, runs]).toEqual([1, 2])
  })

  it('goes on at the position that a step returns if something cannot be changed yet', async () => {
    const seen: (string | null)[] = []
    const { workAt } = prepare(async function* (_, after) {
      seen.push(after)
      yield 'position'
      return seen.length === 1 ? { laterFrom: 'here' } : seen.length === 2 ? 'later' : undefined
    })

    for (const at of [0, 1, 2]) await workAt(begun + at * minutes)

    expect(seen).toEqual([null, 'here', null])
  })

  it('goes on at the step and the position at which one has failed', async () => {
    const seen: [string, string | null][] = []
    const { workAt, errors } = prepare(
      async function* (_, after) {
        seen.push(['first', after])
        yield 'position'
        return undefined
      },
      async function* (_, after) {
        seen.push(['second', after])
        if (after !== null) return undefined
        yield 'a'
        yield 'b'
        throw new Error('The table is slow.')
      },
    )

    for (const at of [0, 1]) await workAt(begun + at * minutes)

    expect(seen).toEqual([
      ['first', null],
      ['second', null],
      ['second', 'b'],
    ])
    expect(errors).toHaveLength(1)
  })

  it('goes on at the first position of a step whose worker was killed: it may be a time', async () => {
    const seen: (string | null)[] = []
    const inStep = Promise.withResolvers<void>()
    const { workAt } = prepare(async function* (_, after) {
      seen.push(after)
      yield after ?? 'since'
      inStep.resolve()
      if (seen.length === 1) await new Promise(() => undefined)
      return undefined
    })
    void workAt(begun)
    await inStep.promise

    const { done } = await workAt(begun + 17 * minutes)

    expect([done, seen]).toEqual([1, [null, 'since']])
  })
})
