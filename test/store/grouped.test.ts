import { describe, expect, it } from 'vitest'
import { grouped } from '#store/grouped.ts'

/** Work of groups, each of which goes on when the test lets it. */
function office({ max = 3, refused = [] as number[] } = {}) {
  const groups: number[][] = []
  const waiting: (() => void)[] = []
  const finished: number[] = []
  const add = grouped<number>({
    belongs: (_, group) => group.length < max,
    work: async (items) => {
      groups.push(items)
      await new Promise<void>((resolve) => waiting.push(resolve))
      if (items.some((item) => refused.includes(item))) throw new Error(`Refused: ${items.join()}`)
      return async () => void finished.push(...items)
    },
  })
  const letGo = async () => {
    while (waiting.length > 0) {
      for (const go of waiting.splice(0)) go()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { add, groups, finished, letGo }
}

describe('work in groups', () => {
  it('begins at once with an item that comes alone, and takes those that come meanwhile together', async () => {
    const { add, groups, finished, letGo } = office()
    const done = Promise.all([1, 2, 3, 4, 5].map(add))
    const atOnce = [...groups]
    // Act
    await letGo()
    await done
    // Assess
    expect(atOnce).toEqual([[1]])
    expect(groups).toEqual([[1], [2, 3, 4], [5]])
    expect(finished).toEqual([1, 2, 3, 4, 5])
  })

  it('that fails is tried for each item, so that one keeps no other out', async () => {
    const { add, groups, finished, letGo } = office({ refused: [3] })
    const done = Promise.allSettled([1, 2, 3, 4].map(add))
    // Act
    await letGo()
    const states = (await done).map(({ status }) => status)
    // Assess
    expect(states).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(groups).toEqual([[1], [2, 3, 4], [2], [3], [4]])
    expect(finished.toSorted()).toEqual([1, 2, 4])
  })

  it('goes on after an item that failed by itself', async () => {
    const { add, letGo } = office({ refused: [1] })
    const done = Promise.allSettled([1, 2].map(add))
    await letGo()
    expect((await done).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })
})
