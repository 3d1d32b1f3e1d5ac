import { expect, it } from 'vitest'
import { concurrencyLimit } from '#kernel/concurrency-limit.ts'

it('works in the order of arrival, with a limited number at once, also after work that fails', async () => {
  const inTurn = concurrencyLimit(2)
  const events: string[] = []
  const gates = new Map<string, () => void>()
  const work = (name: string) =>
    inTurn(async () => {
      events.push(`${name} begins`)
      await new Promise<void>((resolve) => gates.set(name, resolve))
      events.push(`${name} ends`)
      if (name === 'b') throw new Error('b fails')
      return name
    })
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  const all = ['a', 'b', 'c', 'd'].map((name) => work(name).catch((error: Error) => error.message))
  await settled()
  gates.get('b')?.()
  await settled()
  gates.get('c')?.()
  await settled()
  gates.get('a')?.()
  gates.get('d')?.()

  expect(await Promise.all(all)).toEqual(['a', 'b fails', 'c', 'd'])
  expect(events).toEqual([
    'a begins',
    'b begins',
    'b ends',
    'c begins',
    'c ends',
    'd begins',
    'a ends',
    'd ends',
  ])
})
