import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inTime } from '#kernel/in-time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new Promise<string>(() => {})
const tooLate = () => {
  throw new Error('too late')
}

describe('work with a time limit', () => {
  it('gives its result, and leaves no timer behind', async () => {
    expect(await inTime(1_000, Promise.resolve('done'), tooLate)).toBe('done')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('fails as the work fails', async () => {
    await expect(inTime(1_000, Promise.reject(new Error('broken')), () => 'late')).rejects.toThrow('broken')
  })

  it('gives the late result, or fails as that does, exactly when the time is over', async () => {
    const results = Promise.allSettled([inTime(1_000, never, () => 'late'), inTime(1_000, never, tooLate)])
    const isSettled = vi.fn()
    results.then(isSettled)

    await vi.advanceTimersByTimeAsync(999)
    expect(isSettled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)

    expect(await results).toMatchObject([{ value: 'late' }, { reason: { message: 'too late' } }])
  })
})
