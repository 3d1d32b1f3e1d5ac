import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { retryStale, Stale } from '#store/transact.ts'

/** A record that is changed under its version, and how often that was tried. */
function aRecord() {
  const record = { version: 0, attempts: 0, changes: [] as number[] }
  const change =
    (by: number, milliseconds = 2) =>
    async () => {
      record.attempts += 1
      const read = record.version
      await sleep(milliseconds)
      if (record.version !== read) throw new Stale()
      record.version += 1
      record.changes.push(by)
      return by
    }
  return { record, change }
}
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('changes of one record at the same moment', () => {
  it.each([2, 30, 200])('%i of them are each made once, with few attempts in vain', async (count) => {
    const { record, change } = aRecord()

    const done = await Promise.all(numbers(count).map((by) => retryStale(change(by), 'record')))

    expect(done).toEqual(numbers(count))
    expect(record.changes.toSorted((one, other) => one - other)).toEqual(numbers(count))
    // Each tries once by itself, and once when it is its turn.
    expect(record.attempts).toBeLessThanOrEqual(2 * count)
  })

  it('do not wait for those of other records', async () => {
    const [slow, other] = [aRecord(), aRecord()]
    const { promise: end, resolve } = Promise.withResolvers<void>()
    let attempts = 0
    const hanging = retryStale(async () => {
      attempts += 1
      if (attempts === 1) throw new Stale()
      await end
    }, 'slow')

    await Promise.all(numbers(5).map((by) => retryStale(other.change(by), 'other')))

    expect([other.record.version, slow.record.version]).toEqual([5, 0])
    resolve()
    await hanging
  })

  it('go on after one of them has failed otherwise', async () => {
    const { record, change } = aRecord()
    let attempts = 0
    const failing = retryStale(async () => {
      attempts += 1
      throw attempts === 1 ? new Stale() : new Error('The table is away.')
    }, 'record')

    const [failed, ...made] = await Promise.allSettled([
      failing,
      ...numbers(3).map((by) => retryStale(change(by), 'record')),
    ])

    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'The table is away.' } })
    expect(made.map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
    expect(record.version).toBe(3)
  })

  it('are not made when their time was over while they waited', async () => {
    const { record, change } = aRecord()
    const { promise: end, resolve } = Promise.withResolvers<void>()
    let attempts = 0
    const first = retryStale(async () => {
      attempts += 1
      if (attempts === 1) throw new Stale()
      await end
    }, 'record')
    let tried = 0
    const late = withTimeLimit(100, () =>
      retryStale(async () => {
        tried += 1
        if (tried === 1) throw new Stale()
        return change(1)()
      }, 'record'),
    )
    await sleep(150)
    resolve()

    await expect(late).rejects.toThrow()
    await first
    expect([tried, record.version]).toEqual([1, 0])
  })
})
