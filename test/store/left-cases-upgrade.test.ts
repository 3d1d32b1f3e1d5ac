import { beforeEach, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import type { Db } from '#store/db.ts'
import { itemsOf } from '#store/pages-of.ts'
import { accessReport, listedReport } from '#store/parties/access-report-entity.ts'
import { layoutKey } from '#store/table.ts'
import { leftCases } from '#store/upgrades/16-left-cases.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { ownTable } from '#test/support/own-table.ts'

let db: Db
beforeEach(async () => {
  db = await ownTable()
})

const [workspace_id, case_id] = [newId('workspace'), newId('case')]

/** A record as an earlier release stored it. */
const recordOf = (kind: string, fields: object) => ({
  pk: `${workspace_id}#${kind}#${crypto.randomUUID()}`,
  sk: '-',
  __edb_e__: kind,
  workspace_id,
  ...fields,
})

async function casesLeftBy(id: string): Promise<string[]> {
  const ids: string[] = []
  for await (const items of itemsOf(db, `${workspace_id}#left_cases#${id}`))
    ids.push(...items.map((item) => String(item.case_id)))
  return ids
}

it('former cases of records are noted and reports listed, however often the upgrade runs', async () => {
  const [party_id, id] = [newId('party'), newId('accessReport')]
  const layout = { ...layoutKey, layout: 15, stage: 'local' }
  const items = [
    layout,
    recordOf('timeline', { case_id, type: 'document.unassigned', ref: { type: 'document', id: 'doc_left' } }),
    recordOf('timeline', { case_id, type: 'document.added', ref: { type: 'document', id: 'doc_there' } }),
  ]
  const times = { created_at: '2026-11-27T09:00:00.000Z', expires_at: '2026-12-11T09:00:00.000Z' }
  const report = { workspace_id, party_id, id, requested_by: newId('user'), ...times, ttl: 4_000_000_000 }
  await writeAll(db, [
    ...items.map((Item) => ({ params: () => ({ Item }) })),
    accessReport(db).put({ ...report, status: 'running' }),
  ])
  const upgrades = tableUpgrades(db, { stage: 'local', upgrades: [leftCases] })
  await upgrades.run({ dryRun: true })
  const before = await casesLeftBy('doc_left')

  const { layout: after } = await upgrades.run()
  await writeAll(db, [{ params: () => ({ Item: layout }) }])
  await upgrades.run()

  const { data: listed } = await listedReport(db).query.all({ workspace_id }).go()
  expect([before, after]).toEqual([[], 16])
  expect([await casesLeftBy('doc_left'), await casesLeftBy('doc_there')]).toEqual([[case_id], []])
  expect(listed).toEqual([{ workspace_id, party_id, id, ttl: 4_000_000_000 }])
})
