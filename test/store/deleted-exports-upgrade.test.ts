import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import { deletedExportConfig } from '#store/exports/export-config-entity.ts'
import { layoutKey } from '#store/table.ts'
import { deletedExports } from '#store/upgrades/19-deleted-exports.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { itemIn } from '#store/upgrades/upgrade.ts'
import { firmItems } from '#store/workspace/firm-items.ts'
import { ownTable } from '#test/support/own-table.ts'

it('configurations that an earlier release deleted are moved into the list, however often the upgrade runs', async () => {
  const [db, workspace_id] = [await ownTable(), newId('workspace')]
  const configs = deletedExportConfig(db)
  const at = '2026-11-27T09:00:00.000Z'
  const record = {
    ...{ workspace_id, id: newId('exportConfig'), name: 'Honorare Anna Meier', source: 'invoices' as const },
    ...{
      format: 'csv' as const,
      filters: { party_id: newId('party') },
      created_at: at,
      deleted_at: at,
      version: 3,
    },
  }
  const old = { pk: `${workspace_id}#export_config#${record.id}`, sk: '-' }
  const layout = { params: () => ({ Item: { ...layoutKey, layout: 18, stage: 'local' } }) }
  const Item = { ...itemIn(configs.put(record)), ...old, added_later: 'stays' }
  await writeAll(db, [layout, { params: () => ({ Item }) }])
  const upgrades = tableUpgrades(db, { stage: 'local', upgrades: [deletedExports] })
  const listed = async () => (await configs.query.newest({ workspace_id }).go()).data
  await upgrades.run({ dryRun: true })
  const before = await listed()

  const { layout: after } = await upgrades.run()
  await writeAll(db, [layout])
  await upgrades.run()

  expect([before, after, await listed()]).toEqual([[], 19, [record]])
  const moved = []
  for await (const item of firmItems(db).all(workspace_id))
    if (item.__edb_e__ === 'deletedexportconfig') moved.push(item)
  expect(moved).toEqual([expect.objectContaining({ sk: record.id, added_later: 'stays' })])
})
