import { beforeEach, expect, it, vi } from 'vitest'
import { selectionDigest } from '#exports/selection-schema.ts'
import { newId } from '#kernel/id.ts'
import type { Db } from '#store/db.ts'
import { removeExports } from '#store/retention/remove-exports.ts'
import { fileOf, scheduledFirm } from '#test/support/export-runs.ts'
import { ownTable } from '#test/support/own-table.ts'

/** The stored files of exports, once what they may hold is erased (R3). */

let db: Db
let firm: ReturnType<typeof scheduledFirm>
beforeEach(async () => {
  db = await ownTable()
  firm = scheduledFirm(db)
})

/** Whether every run that may hold a case is gone. */
const removed = (
  caseId: string,
  since = '2099-01-01T00:00:00.000Z',
  whileListed = async () => {},
): Promise<boolean> =>
  removeExports(
    {
      db,
      eraseObjects: async (prefix, choose = async () => () => true) => {
        const listed = [...firm.objects.keys()].filter((key) => key.startsWith(prefix))
        const goes = await choose()
        for (const key of listed.filter(goes)) firm.objects.delete(key)
        await whileListed()
      },
    },
    firm.actor.workspace_id,
    {
      mayHold: ({ filters }) => filters.case_id === undefined || filters.case_id === caseId,
      since,
    },
    () => false,
  )

/** Sets the filter of a configuration. */
const onlyCase = (configId: string, case_id: string) =>
  firm.configs.change(firm.actor, configId, { filters: { case_id } }, () => {})

/** Runs what is due at this time. */
async function runAt(time: string): Promise<void> {
  firm.setNow(time)
  await firm.sweep()
  await firm.work()
}

it('runs that may contain a case are removed with their files; runs of only other cases stay', async () => {
  const [gone, other] = [newId('case'), newId('case')]
  const [all, ours, others] = [await firm.addConfig(), await firm.addConfig(), await firm.addConfig()]
  await onlyCase(ours, gone)
  await onlyCase(others, other)
  await runAt('2026-11-21T05:00:00.000Z')
  const before = firm.objects.size

  const isDone = await removed(gone)

  expect([before, isDone]).toEqual([3, true])
  expect([...firm.objects.keys()].map((key) => key.split('/')[2])).toEqual([others])
  expect(await Promise.all([all, ours, others].map(async (id) => (await firm.runsOf(id)).length))).toEqual([
    0, 0, 1,
  ])
})

it('earlier versions of files are removed, too, if their runs were removed before', async () => {
  const config = await firm.addConfig()
  await runAt('2026-11-21T05:00:00.000Z')
  const [key = '', bytes] = [...firm.objects][0] ?? []
  const earlier = key.replace(/run_[^/]+/, newId('exportRun'))
  if (bytes !== undefined) firm.objects.set(earlier, bytes)

  const isDone = await removed(newId('case'))

  expect([key.split('/')[2], earlier === key, isDone]).toEqual([config, false, true])
  expect(firm.objects.size).toBe(0)
})

it('a run that began after the removal stays with its file; an earlier one is removed', async () => {
  const config = await firm.addConfig()
  await runAt('2026-11-21T05:00:00.000Z')
  await runAt('2026-11-22T05:00:00.000Z')
  const [newest] = await firm.runsOf(config)

  const isDone = await removed(newId('case'), '2026-11-21T12:00:00.000Z')

  expect(isDone).toBe(true)
  expect((await firm.runsOf(config)).map(({ id }) => id)).toEqual([newest?.id])
  expect([...firm.objects.keys()].map((key) => key.split('/')[3])).toEqual([newest?.id])
})

it('a run that ends after the runs were read keeps its file', async () => {
  const config = await firm.addConfig()
  await runAt('2026-11-21T05:00:00.000Z')
  let erasures = 0
  const whileListed = async () => {
    erasures += 1
    if (erasures === 1) await runAt('2026-11-22T05:00:00.000Z')
  }

  await removed(newId('case'), undefined, whileListed)

  const runs = await firm.runsOf(config)
  expect(runs.map(({ status }) => status)).toEqual(['succeeded'])
  expect([...firm.objects.keys()].map((key) => key.split('/')[3])).toEqual(runs.map(({ id }) => id))
})

it('a run of an earlier selection is removed, even if the current selection is another case', async () => {
  const config = await firm.addConfig()
  await runAt('2026-11-21T05:00:00.000Z')
  await onlyCase(config, newId('case'))
  await runAt('2026-11-22T05:00:00.000Z')
  const [newest] = await firm.runsOf(config)

  const isDone = await removed(newId('case'))

  expect(isDone).toBe(true)
  expect((await firm.runsOf(config)).map(({ id }) => id)).toEqual([newest?.id])
  expect(firm.objects.size).toBe(1)
})

it('the removal waits for a run that has not ended, unless its worker has died', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T05:00:30.000Z') })
  try {
    const config = await firm.addConfig()
    const whileItRan: boolean[] = []
    firm.makeFiles(async (current) => {
      whileItRan.push(await removed(newId('case')))
      return fileOf(['Quittenmarmelade'], selectionDigest(current))
    })
    await runAt('2026-11-21T05:00:00.000Z')
    const stored = firm.objects.size
    const afterwards = await removed(newId('case'))
    firm.makeFiles(() => new Promise(() => {}))
    firm.setNow('2026-11-22T05:00:00.000Z')
    await firm.sweep()
    vi.setSystemTime(new Date('2026-11-22T05:00:30.000Z'))
    for (const order of firm.sent.splice(0)) void firm.running.run(order, new AbortController().signal)
    await vi.waitFor(async () => expect(await firm.runsOf(config)).toHaveLength(1), { timeout: 60_000 })
    const dying = await removed(newId('case'))
    vi.setSystemTime(new Date('2026-11-22T05:30:00.000Z'))
    const dead = await removed(newId('case'))

    expect([whileItRan, stored, afterwards, firm.objects.size]).toEqual([[false], 1, true, 0])
    expect([dying, dead, (await firm.runsOf(config)).length]).toEqual([false, true, 0])
  } finally {
    vi.useRealTimers()
  }
})
