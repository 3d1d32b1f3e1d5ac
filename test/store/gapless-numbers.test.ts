import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { counterEntity } from '#store/counter-entity.ts'
import type { Db } from '#store/db.ts'
import { gaplessNumbers, NumberTaken } from '#store/gapless-numbers.ts'
import { transact } from '#store/transact.ts'
import { sharedTable } from '#test/support/table.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const inOrder = (numbers: number[]) => numbers.toSorted((one, other) => one - other)

/** A process of its own: nothing but the table is between two of them. */
const processOn = (db: Db) => {
  const numbers = gaplessNumbers(db)
  return (workspace_id: string, use?: (number: number) => void) =>
    numbers.next(
      { workspace_id, series: 'file_number/26' },
      async (number, advance) => {
        use?.(number)
        await transact(db, [advance])
        return { isUsed: true, result: number }
      },
      async (from) => from,
    )
}

it('twenty processes that take a number at the same moment get twenty numbers without a gap', async () => {
  const db = await sharedTable()
  const workspaceId = newId('workspace')

  const numbers = await Promise.all(upTo(20).map(() => processOn(db)(workspaceId)))

  expect(inOrder(numbers)).toEqual(upTo(20))
})

it('of twelve, those that fail with their number leave no gap', async () => {
  const db = await sharedTable()
  const workspaceId = newId('workspace')

  const taken = await Promise.allSettled(
    upTo(12).map((one) =>
      processOn(db)(workspaceId, () => {
        if (one % 4 === 0) throw new Error('This process crashes.')
      }),
    ),
  )

  const numbers = taken.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
  expect(inOrder(numbers)).toEqual(upTo(9))
})

it('tickets of processes that are gone hold up the others for a moment only', async () => {
  const db = await sharedTable()
  const workspaceId = newId('workspace')
  await processOn(db)(workspaceId)
  // Fifty processes drew a ticket and crashed.
  const line = { workspace_id: workspaceId, series: 'file_number/26/line' }
  await counterEntity(db).upsert(line).add({ last: 50 }).go()

  const startedAt = performance.now()
  const first = await processOn(db)(workspaceId)
  const waited = performance.now() - startedAt
  const numbers = await Promise.all(upTo(10).map(() => processOn(db)(workspaceId)))

  expect([first, ...inOrder(numbers)]).toEqual(upTo(12).slice(1))
  // Not once for each of the fifty.
  expect(waited).toBeLessThan(5_000)
})

it('one that is refused with its number holds up nobody', async () => {
  const db = await sharedTable()
  const workspaceId = newId('workspace')
  await processOn(db)(workspaceId)

  const timed = async () => {
    const startedAt = performance.now()
    await processOn(db)(workspaceId)
    return performance.now() - startedAt
  }
  const [usual, waited]: [number[], number[]] = [[], []]
  for (let at = 0; at < 5; at += 1) {
    usual.push(await timed())
    const refused = processOn(db)(workspaceId, () => {
      throw new Error('This was done before.')
    })
    await expect(refused).rejects.toThrow('done before')
    waited.push(await timed())
  }

  // A lost ticket is waited for at least 400 ms, each time.
  expect(Math.min(...waited)).toBeLessThan(Math.min(...usual) + 390)
})

it('a number that was chosen by hand is passed over, and the next ones follow it', async () => {
  const db = await sharedTable()
  const workspaceId = newId('workspace')
  const take = () =>
    processOn(db)(workspaceId, (number) => {
      if (number === 2) throw new NumberTaken()
    })

  expect([await take(), await take(), await take()]).toEqual([1, 3, 4])
})
