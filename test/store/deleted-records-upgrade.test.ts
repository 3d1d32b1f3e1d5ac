import { beforeEach, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import type { Db } from '#store/db.ts'
import { itemsOf } from '#store/pages-of.ts'
import { layoutKey } from '#store/table.ts'
import { deletedRecords } from '#store/upgrades/14-deleted-records.ts'
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

async function notesIn(caseId: string): Promise<string[]> {
  const ids: string[] = []
  for await (const items of itemsOf(db, `${workspace_id}#removed_in_case#${caseId}`))
    ids.push(...items.map(({ id }) => String(id)))
  return ids.toSorted()
}

it('records of a case that an earlier release deleted are noted, however often the upgrade runs', async () => {
  const deleted_at = '2026-03-01T09:00:00.000Z'
  const event = { id: 'evt_gone', case_id, deleted_at }
  const items = [
    { ...layoutKey, layout: 13, stage: 'local' },
    recordOf('timeentry', { id: 'time_gone', case_id, deleted_at }),
    recordOf('timeentry', { id: 'time_there', case_id }),
    recordOf('draft', { id: 'draft_of_no_case', deleted_at }),
    recordOf('event', { record: JSON.stringify(event) }),
    recordOf('event', { record: JSON.stringify({ ...event, id: 'evt_there', deleted_at: null }) }),
    recordOf('party', { id: 'party_gone', deleted_at }),
  ]
  await writeAll(
    db,
    items.map((Item) => ({ params: () => ({ Item }) })),
  )
  const upgrades = tableUpgrades(db, { stage: 'local', upgrades: [deletedRecords] })
  const tried = await upgrades.run({ dryRun: true })
  const before = await notesIn(case_id)

  const first = await upgrades.run()
  await writeAll(db, [{ params: () => ({ Item: { ...layoutKey, layout: 13, stage: 'local' } }) }])
  await upgrades.run()

  expect([tried.layout, before, first.layout]).toEqual([13, [], 14])
  expect(await notesIn(case_id)).toEqual(['evt_gone', 'time_gone'])
})
