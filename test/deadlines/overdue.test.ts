import { expect, it } from 'vitest'
import { noteOverdueDeadlines } from '#deadlines/overdue.ts'
import type { DueDeadlines } from '#deadlines/ports.ts'
import { isOverdue, statusOf } from '#deadlines/views.ts'
import { overBefore } from '#german-time/time-limit.ts'
import { isOverdueAtOnce } from '#store/deadlines/deadline-events.ts'
import { dueMoments } from '#store/due-moments.ts'

const open = { completed_at: null, struck_at: null, verified_by: null }

const isOverAt = (due_at: string, now: string) => {
  const record = { ...open, due_at }
  const at = new Date(now)
  const isBefore = due_at < overBefore(at).toISOString()
  expect([isBefore, statusOf(record, at)]).toEqual(
    isOverdue(record, at) ? [true, 'expired'] : [false, 'pending'],
  )
  return isBefore
}

it.each([
  ['2031-03-17T22:59:59.000Z', '2031-03-17T22:59:59.999Z', false],
  ['2031-03-17T22:59:59.000Z', '2031-03-17T23:00:00.000Z', true],
  ['2031-03-17T22:59:58.000Z', '2031-03-17T22:59:59.500Z', true],
  ['2031-03-17T23:00:00.000Z', '2031-03-17T22:59:59.999Z', false],
  ['2031-03-17T23:00:00.000Z', '2031-03-17T23:00:00.000Z', true],
])('a deadline of %s at %s is over, overdue and expired alike: %s', (due_at, now, isOver) => {
  expect(isOverAt(due_at, now)).toBe(isOver)
})

it.each([
  ['2031-03-17T22:59:59.000Z', '2031-03-17T23:00:00.000Z'],
  ['2031-03-17T22:59:58.000Z', '2031-03-17T22:59:58.000Z'],
])('the event of a deadline of %s comes at %s', async (due_at, end) => {
  const over = Date.parse(end)
  const noted = async (now: Date) => {
    const due: DueDeadlines = {
      partition: 'deadlines#due',
      shards: ['0'],
      due: async function* (shard, at) {
        if (new Date(due_at) <= at) yield { workspace_id: 'ws_1', id: '1', shard, place: due_at }
      },
      note: async () => true,
    }
    return (await noteOverdueDeadlines({ due, log: { error: () => {} } }, now, 1_000)).overdue
  }
  const atOnce = (changed_at: Date) =>
    isOverdueAtOnce(undefined, { ...open, due_at, changed_at: changed_at.toISOString() } as never)
  const before = new Date(over - 1)

  expect(dueMoments['deadlines#due'].momentOf({ sk: `${due_at}#frist_1` })).toBe(over)
  expect([await noted(before), atOnce(before)]).toEqual([0, false])
  expect([await noted(new Date(over)), atOnce(new Date(over))]).toEqual([1, true])
})
