import { beforeEach, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import type { Db } from '#store/db.ts'
import { itemsOf } from '#store/pages-of.ts'
import { layoutKey } from '#store/table.ts'
import { deletedCases } from '#store/upgrades/15-deleted-cases.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { ownTable } from '#test/support/own-table.ts'

let db: Db
beforeEach(async () => {
  db = await ownTable()
})

const workspace_id = newId('workspace')
const [closed_at, deleted_at] = ['2020-05-01T09:00:00.000Z', '2021-03-01T09:00:00.000Z']

/** A case as an earlier release stored it. */
function aCase(id: string, fields: object) {
  const written = { created_at: '', updated_at: '', changed_at: '', version: 1 }
  const known = { name: 'Meier', file_number: id, status: 'active' as const, parties: [], staff: [] }
  return caseEntity(db).put({ workspace_id, id, ...known, ...written, ...fields })
}

async function filed(): Promise<string[]> {
  const places: string[] = []
  for await (const items of itemsOf(db, `${workspace_id}#closed_cases#all`))
    places.push(...items.map(({ sk }) => String(sk)))
  return places
}

it('deleted cases of earlier releases are listed as ended, however often the upgrade runs', async () => {
  const layout = { params: () => ({ Item: { ...layoutKey, layout: 14, stage: 'local' } }) }
  await writeAll(db, [
    layout,
    aCase('there', {}),
    aCase('deleted', { deleted_at }),
    aCase('closed', { status: 'closed', closed_at, deleted_at }),
    aCase('reopened', { closed_at, deleted_at }),
    aCase('going', { status: 'closed', closed_at, deleted_at, disposal_id: newId('disposal') }),
  ])
  const upgrades = tableUpgrades(db, { stage: 'local', upgrades: [deletedCases] })
  await upgrades.run({ dryRun: true })
  const before = await filed()

  const { layout: after } = await upgrades.run()
  await writeAll(db, [layout])
  await upgrades.run()

  expect([before, after]).toEqual([[], 15])
  expect(await filed()).toEqual([`${closed_at}#closed`, `${deleted_at}#deleted`, `${deleted_at}#reopened`])
})
