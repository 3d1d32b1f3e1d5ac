import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { allowanceStore } from '#store/workspace/allowance-store.ts'
import { sharedTable } from '#test/support/table.ts'

const rate = { perSecond: 50, burst: 200 }
const at = Date.UTC(2026, 5, 1)

/** A store of its own, as another instance has, for a holder that nobody used yet. */
async function holderOnTable() {
  const db = await sharedTable()
  const holder = { workspace_id: newId('workspace'), holder: 'firm' }
  return {
    instance: () => {
      const store = allowanceStore(db)
      return (wanted: number, now = at) => store.take(holder, wanted, rate, now)
    },
  }
}

it('a full bucket grants its burst once, and then what time adds', async () => {
  const { instance } = await holderOnTable()
  const take = instance()

  const all = await take(500)
  const none = await take(1)
  const later = await take(500, at + 1_000)

  expect(all).toMatchObject({ granted: 200, remaining: 0 })
  expect(none).toEqual({ granted: 0, remaining: 0, nextAt: at + 20 })
  expect(later.granted).toBe(50)
})

it('twenty instances that take at the same time get no more than the bucket has', async () => {
  const { instance } = await holderOnTable()

  const taken = await Promise.all(Array.from({ length: 20 }, () => instance()(30)))

  const sum = taken.reduce((total, { granted }) => total + granted, 0)
  expect(sum).toBeLessThanOrEqual(200)
  // One that others overtook again and again gets nothing this time.
  expect(sum).toBeGreaterThan(100)
})

it('an instance that does not know the others gets what is left', async () => {
  const { instance } = await holderOnTable()
  await instance()(150)

  expect(await instance()(100)).toMatchObject({ granted: 50, remaining: 0 })
})

it('an instance that was refused gets requests again as soon as some are free', async () => {
  const { instance } = await holderOnTable()
  const take = instance()
  await take(200)

  const { nextAt } = await take(10)

  expect((await take(10, nextAt - 1)).granted).toBe(0)
  expect((await take(10, nextAt)).granted).toBe(1)
})

it('a clock that was set back an hour does not refuse for an hour', async () => {
  const { instance } = await holderOnTable()
  await instance()(200, at + 3_600_000)

  expect((await instance()(10, at)).granted).toBe(10)
  // From then on it counts as usual.
  expect((await instance()(500, at)).granted).toBe(190)
})

it('counts exactly if the time per request is not a whole number of microseconds', async () => {
  const db = await sharedTable()
  const holder = { workspace_id: newId('workspace'), holder: 'firm' }
  const three = { perSecond: 3, burst: 12 }
  const store = allowanceStore(db)

  const grants = []
  for (let one = 0; one < 13; one += 1) grants.push((await store.take(holder, 1, three, at)).granted)

  expect(grants).toEqual([...Array(12).fill(1), 0])
})
