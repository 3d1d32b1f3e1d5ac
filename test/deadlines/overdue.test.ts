import { expect, it } from 'vitest'
import { isOverdue, statusOf } from '#deadlines/views.ts'
import { overBefore } from '#german-time/time-limit.ts'

const isOverAt = (due_at: string, now: string) => {
  const record = { due_at, completed_at: null, struck_at: null, verified_by: null }
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
