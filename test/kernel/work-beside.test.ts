import { describe, expect, it } from 'vitest'
import { workBeside } from '#kernel/work-beside.ts'

const bounds = { maxAtOnce: 2, maxWeight: 10 }

/** A piece of work that ends when the test says so. */
function piece() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve, fail: reject }
}

/** Whether a promise is settled once everything that can happen now has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => (settled = true),
    () => (settled = true),
  )
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

describe('parallel work', () => {
  it('has room for a limited number of pieces until one of them ends', async () => {
    const beside = workBeside(bounds)
    const [one, two] = [piece(), piece()]
    beside.begin(one.work, 1)
    const withOne = await isSettled(beside.room())
    beside.begin(two.work, 1)
    // Act
    const room = beside.room()
    const withTwo = await isSettled(room)
    one.end()
    // Assess
    expect([withOne, withTwo, await isSettled(room)]).toEqual([true, false, true])
  })

  it('has no room in addition to a piece that weighs too much', async () => {
    const beside = workBeside(bounds)
    const heavy = piece()
    beside.begin(heavy.work, 11)
    const room = beside.room()
    const before = await isSettled(room)
    heavy.end()
    expect([before, await isSettled(room)]).toEqual([false, true])
  })

  it('reports a failure to every caller that asks for room, and ends only when all pieces have ended', async () => {
    const beside = workBeside(bounds)
    const [one, two] = [piece(), piece()]
    beside.begin(one.work, 1)
    beside.begin(two.work, 1)
    // Act
    one.fail(new Error('It failed.'))
    await expect(beside.room()).rejects.toThrow('It failed.')
    const end = beside.end()
    const before = await isSettled(end)
    two.end()
    // Assess
    await expect(end).rejects.toThrow('It failed.')
    expect(before).toBe(false)
  })
})
