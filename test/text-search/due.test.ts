import { describe, expect, it } from 'vitest'
import { wakeDueIndexes, wakeIndexesAgain } from '#text-search/due.ts'
import type { DueFirm, SearchManifest, SearchMark } from '#text-search/ports.ts'

const now = new Date('2026-11-27T12:00:00.000Z')
const at = (minutesAgo: number) => new Date(now.getTime() - minutesAgo * 60_000).toISOString()

/** Sweeps one firm whose item is due. @returns how it ended, and whether the item is still there */
async function sweep(marks: Partial<SearchMark>[], manifest?: Partial<SearchManifest>) {
  const left = new Set(['the item'])
  const due: DueFirm[] = [{ workspace_id: 'ws_a', due_at: at(1) }]
  const woken: string[] = []
  const { oldest } = await wakeDueIndexes(
    {
      due: {
        partition: 'search#due',
        shards: ['0'],
        async *due() {
          yield* due
        },
      } as Parameters<typeof wakeDueIndexes>[0]['due'],
      store: {
        marks: async (_, term) => marks.filter((mark) => mark.term === term) as SearchMark[],
        manifest: async () => manifest as SearchManifest | undefined,
        settle: async () => left.clear(),
      },
      wake: async ({ workspace_id }) => void woken.push(workspace_id),
      log: { error: () => {}, info: () => {}, warn: () => {} } as Parameters<typeof wakeDueIndexes>[0]['log'],
    },
    now,
    { milliseconds: 5_000 },
  )
  return { oldest, woken, isLeft: left.size > 0 }
}

describe('the sweep of indexes', () => {
  it.each([
    ['nothing waits', [], {}, 0, false],
    ['its own work is due', [], { due_at: at(1) }, 0, true],
    ['a worker cannot start', [{ term: 'new', at: at(40) }], undefined, 40, true],
    ['a change waits', [{ term: 'changed', at: at(31) }], { indexed_at: at(5) }, 31, true],
    [
      'old texts wait for their first index',
      [{ term: 'new', at: at(9_000), upgrade: true }],
      undefined,
      0,
      true,
    ],
    [
      'old texts are indexed now',
      [{ term: 'new', at: at(9_000), upgrade: true }],
      { indexed_at: at(2) },
      2,
      true,
    ],
    [
      'old texts wait no more',
      [{ term: 'new', at: at(9_000), upgrade: true }],
      { indexed_at: at(50) },
      50,
      true,
    ],
  ] as [
    string,
    Partial<SearchMark>[],
    Partial<SearchManifest> | undefined,
    number,
    boolean,
  ][])('wakes the worker, and says how long texts wait in which firm, if %s', async (_, marks, manifest, minutes, isLeft) => {
    const oldest = { minutes, ...(minutes > 0 && { workspace_id: 'ws_a' }) }
    expect(await sweep(marks, manifest)).toEqual({ oldest, woken: ['ws_a'], isLeft })
  })
})

it('firms whose work is due at any time are woken after messages were lost, and again when a lease is over', async () => {
  const sent: [string, number | undefined][] = []
  const due = (firms: string[]) => firms.map((workspace_id) => ({ workspace_id, due_at: at(-600) }))
  const ofShard: Record<string, DueFirm[]> = { 0: due(['ws_a', 'ws_b', 'ws_a']), 1: due(['ws_c']), 2: [] }

  const failed = await wakeIndexesAgain(
    {
      due: {
        partition: 'search#due',
        shards: Object.keys(ofShard),
        async *due(shard: string, before: Date) {
          for (const one of ofShard[shard] ?? []) if (one.due_at < before.toISOString()) yield one
        },
      } as Parameters<typeof wakeIndexesAgain>[0]['due'],
      wake: async ({ workspace_id }, { delaySeconds } = {}) => {
        if (workspace_id === 'ws_c') throw new Error('The queue is gone.')
        sent.push([workspace_id, delaySeconds])
      },
      log: { error: () => {}, info: () => {}, warn: () => {} } as Parameters<
        typeof wakeIndexesAgain
      >[0]['log'],
    },
    { milliseconds: 5_000, leaseSeconds: 30 },
  )

  expect(failed).toBe(1)
  expect(sent.toSorted()).toEqual(
    [
      ['ws_a', undefined],
      ['ws_a', 31],
      ['ws_b', undefined],
      ['ws_b', 31],
    ].toSorted(),
  )
})
