import { beforeEach, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import { draftEntity } from '#store/correspondence/draft-entity.ts'
import type { Db } from '#store/db.ts'
import { withoutNulls } from '#store/nulls.ts'
import { layoutKey } from '#store/table.ts'
import { deletedDraftsUpgrade } from '#store/upgrades/17-deleted-drafts.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { draftRecord } from '#test/support/mail-records.ts'
import { mailStores } from '#test/support/mail-stores.ts'
import { ownTable } from '#test/support/own-table.ts'

let db: Db
beforeEach(async () => {
  db = await ownTable()
})

const workspace_id = newId('workspace')
const layout = { params: () => ({ Item: { ...layoutKey, layout: 16, stage: 'local' } }) }

it('drafts that an earlier release deleted are listed, however often the upgrade runs', async () => {
  const gone = { ...draftRecord(workspace_id), deleted_at: '2026-11-27T09:00:00.000Z' }
  const drafts = draftEntity(db)
  await writeAll(db, [
    layout,
    drafts.put(withoutNulls(gone)),
    drafts.put(withoutNulls(draftRecord(workspace_id))),
  ])
  const upgrades = tableUpgrades(db, { stage: 'local', upgrades: [deletedDraftsUpgrade] })
  const listed = async () =>
    (await mailStores(db).drafts.pageDeleted(workspace_id, { limit: 10 })).data.map(({ id }) => id)
  await upgrades.run({ dryRun: true })
  const before = await listed()

  const { layout: after } = await upgrades.run()
  await writeAll(db, [layout])
  await upgrades.run()

  expect([before, after]).toEqual([[], 17])
  expect(await listed()).toEqual([gone.id])
})
