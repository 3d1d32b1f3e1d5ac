import { expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { mailMilliseconds, readingBudgets } from '#store/documents/reading-budget.ts'
import { sharedTable } from '#test/support/table.ts'

/** The budget of a mail, as each worker has it. */
async function budgets() {
  const deps = { db: await sharedTable(), clock: systemClock }
  const [workspace, mail] = [newId('workspace'), newId('correspondence')]
  return {
    worker: () => readingBudgets(deps).of(workspace, mail),
    of: (firm = workspace, id = mail) => readingBudgets(deps).of(firm, id),
    renew: () => readingBudgets(deps).renew(workspace, mail),
  }
}

const slice = mailMilliseconds / 12

it('twenty workers at once take no more than a mail has', async () => {
  const { worker } = await budgets()

  const granted = await Promise.all(Array.from({ length: 20 }, () => worker().take(slice)))

  expect(granted.filter((isGranted) => isGranted)).toHaveLength(12)
  expect(await worker().take(slice)).toBe(false)
})

it.each([
  ['another mail of the firm', undefined, newId('correspondence')],
  ['a mail of another firm', newId('workspace'), undefined],
  ['a beA message', undefined, newId('beaMessage')],
])('a budget that is used up takes nothing from %s', async (_, firm, id) => {
  const { worker, of } = await budgets()
  await worker().take(mailMilliseconds)

  const taken = [await worker().take(slice), await of(firm, id).take(slice)]

  expect(taken).toEqual([false, true])
})

it('a slice that is larger than what is left takes nothing of it', async () => {
  const { worker } = await budgets()
  await worker().take(mailMilliseconds - 1_000)

  const taken = [await worker().take(2_000), await worker().take(1_000)]

  expect(taken).toEqual([false, true])
})

it('a budget that is renewed is whole again', async () => {
  const { worker, renew } = await budgets()
  await worker().take(mailMilliseconds)

  await renew()

  expect(await worker().take(mailMilliseconds)).toBe(true)
})
