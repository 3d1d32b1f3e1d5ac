import { describe, expect, it } from 'vitest'
import { backgroundWork } from '#kernel/background-work.ts'

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
    const work = backgroundWork(bounds)
    const [one, two] = [piece(), piece()]
    work.begin(one.work, 1)
    const withOne = await isSettled(work.room())
    work.begin(two.work, 1)
    // Act
    const room = work.room()
    const withTwo = await isSettled(room)
    one.end()
    // Assess
    expect([withOne, withTwo, await isSettled(room)]).toEqual([true, false, true])
  })

  it('has no room in addition to a piece that weighs too much', async () => {
    const work = backgroundWork(bounds)
    const heavy = piece()
    work.begin(heavy.work, 11)
    const room = work.room()
    const before = await isSettled(room)
    heavy.end()
    expect([before, await isSettled(room)]).toEqual([false, true])
  })

  it('reports a failure to every caller that asks for room, and ends only when all pieces have ended', async () => {
    const work = backgroundWork(bounds)
    const [one, two] = [piece(), piece()]
    work.begin(one.work, 1)
    work.begin(two.work, 1)
    // Act
    one.fail(new Error('It failed.'))
    await expect(work.room()).rejects.toThrow('It failed.')
    const end = work.end()
    const before = await isSettled(end)
    two.end()
    // Assess
    await expect(end).rejects.toThrow('It failed.')
    expect(before).toBe(false)
  })
})
