import { beforeEach, describe, expect, it } from 'vitest'
import { maxCountedTypes } from '#retention/schema.ts'
import { disposedCasesEntity } from '#store/retention/disposed-cases-entity.ts'
import { closedLongAgo, closeLongAgo } from '#test/support/due-case.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { disposeOf } from '#test/support/run-disposals.ts'
import { placesOf } from '#test/support/stored-data.ts'
import { sharedTable } from '#test/support/table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
beforeEach(async () => {
  firm = await newFirm()
})

const openCase = async (type: string | null): Promise<string> =>
  (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze', type } })).body.id

const dueCase = async (type: string | null, closedAt = closedLongAgo): Promise<string> => {
  const id = await openCase(type)
  await closeLongAgo(firm, id, closedAt)
  return id
}

const statistics = async () => (await firm.owner('GET', '/api/v1/retention/statistics')).body.data

describe('the statistics of disposed cases', () => {
  it('are empty for a firm that has disposed of no case', async () => {
    await dueCase('Mietrecht')

    expect(await statistics()).toEqual([])
  })

  it('count cases by the year of their closing, in the time zone of the firm, and by type', async () => {
    for (let others = 0; others < 2; others += 1) await openCase('Mietrecht')
    await disposeOf(
      firm,
      await dueCase('Mietrecht', '2018-12-31T23:30:00.000Z'),
      await dueCase('Mietrecht', '2018-12-31T22:30:00.000Z'),
      await dueCase('Mietrecht', '2019-07-01T09:00:00.000Z'),
      await dueCase(null, '2018-07-01T09:00:00.000Z'),
    )

    expect(await statistics()).toEqual([
      { year: 2018, type: null, cases: 1 },
      { year: 2018, type: 'Mietrecht', cases: 1 },
      { year: 2019, type: 'Mietrecht', cases: 2 },
    ])
  })

  it('do not name a type that fewer than three cases have', async () => {
    await openCase('Scheidung Quvanna')
    await disposeOf(firm, await dueCase('Scheidung Quvanna'))

    expect(await statistics()).toEqual([{ year: 2019, type: null, cases: 1 }])
    const places = await placesOf(firm.workspace.id, ['quvanna'])
    expect(places.filter((place) => place.includes('disposed_cases'))).toEqual([])
  })

  it('still count a type that was counted before, even if no other case has it any more', async () => {
    const three = await Promise.all([1, 2, 3].map(() => dueCase('Mietrecht')))
    for (const id of three) await disposeOf(firm, id)

    expect(await statistics()).toEqual([{ year: 2019, type: 'Mietrecht', cases: 3 }])
  })

  it('have at most a hundred types', async () => {
    const items = disposedCasesEntity(await sharedTable())
    const row = { workspace_id: firm.workspace.id, year: '2017', cases: 1 }
    for (let at = 0; at < maxCountedTypes; at += 1) await items.put({ ...row, type: `Art ${at}` }).go()
    for (let others = 0; others < 2; others += 1) await openCase('Mietrecht')

    await disposeOf(firm, await dueCase('Mietrecht'), await dueCase('Art 7'))

    expect((await statistics()).filter(({ year }: { year: number }) => year === 2019)).toEqual([
      { year: 2019, type: null, cases: 1 },
      { year: 2019, type: 'Art 7', cases: 1 },
    ])
  })

  it('count a case once, even if two workers remove it at the same time', async () => {
    const caseId = await dueCase(null)
    Object.assign(process.env, sharedService().environment)
    const { foundation } = await import('#foundation/foundation.ts')
    const { disposalFoundation } = await import('#foundation/disposals.ts')
    const { removal, cases } = disposalFoundation(foundation('disposals'))
    const { id: workspaceId } = firm.workspace
    const [found] = await cases.findAll(workspaceId, [caseId])
    if (found === undefined) throw new Error('There is no such case.')
    const disposalId = `dsp_${crypto.randomUUID()}`
    await removal.begin(workspaceId, found, disposalId, '2026-11-27T09:00:00.000Z')
    await removal.list(workspaceId, caseId, disposalId, '2026-11-27', () => false)

    const remove = () => removal.remove(workspaceId, caseId, disposalId, () => false)
    await Promise.all([1, 2, 3, 4].map(remove))

    expect(await statistics()).toEqual([{ year: 2019, type: null, cases: 1 }])
  })
})
