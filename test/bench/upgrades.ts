import { randomUUID } from 'node:crypto'
import { createTable } from '#infra/local/create-table.ts'
import { writeAll } from '#store/batch.ts'
import { createClient } from '#store/client.ts'
import { layoutKey, stageName } from '#store/table.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { idOf, writeUnfiledParties } from '#test/support/unfiled-parties.ts'
import { type Part, type Row, round } from './report.ts'

const limits = [500, 2_000, 10_000]

/** Measures an upgrade of parties: first when all of them are out of date, then when none is. */
export async function measureUpgrades(count: number): Promise<Part> {
  const table = `aktenlage-upgrades-${randomUUID()}`
  await createTable(table)
  const db = { client: createClient(), table }
  const firm = `ws_${randomUUID()}`
  await writeUnfiledParties(db, firm, count)
  const workspace = { pk: `${firm}#workspace`, sk: '$workspace_1', __edb_e__: 'workspace', id: firm }
  const before = [workspace, { ...layoutKey, layout: 9, stage: stageName() }]
  const rows: Row[] = []
  for (const what of ['all behind', 'none behind']) {
    await writeAll(
      db,
      before.map((Item) => ({ params: () => ({ Item }) })),
      [{ params: () => ({ Key: { pk: 'upgrade#10', sk: firm } }) }],
    )
    const startedAt = performance.now()
    const { units, upgrades } = await tableUpgrades(db, { stage: stageName() }).run()
    const seconds = (performance.now() - startedAt) / 1_000
    rows.push({
      parties: what,
      records: upgrades[0]?.records ?? 0,
      changed: upgrades[0]?.changed ?? 0,
      'units each': round(units / count),
      'records a second here': Math.round(count / seconds),
      ...Object.fromEntries(
        limits.map((limit) => [`minutes at ${limit} units/s`, round(units / limit / 60)]),
      ),
    })
  }
  return {
    title: `An upgrade of ${count} records`,
    method: `Parties are filed by their names, from ${idOf(0)} on, one process, no limit of units.`,
    rows,
    targets: [],
  }
}
