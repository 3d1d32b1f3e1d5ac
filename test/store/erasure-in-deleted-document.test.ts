import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { documentEntity } from '#store/documents/document-entity.ts'
import { erasureInDeletedDocument } from '#store/parties/erasure-in-deleted-document.ts'
import { sharedTable } from '#test/support/table.ts'

const now = '2026-11-27T09:00:00.000Z'

it('a deleted document in no case loses the party from its name; others stay', async () => {
  const db = await sharedTable()
  const items = documentEntity(db)
  const workspace_id = newId('workspace')
  const add = async (more: { deleted_at?: string; case_id?: string }) => {
    const key = { workspace_id, id: newId('document') }
    await items
      .create({
        ...{ ...key, filename: 'Vollmacht Anna Meier.pdf', mime_type: 'application/pdf', size_bytes: 1 },
        ...{ status: 'processed', parties: [], source: 'email', has_twins: false, attempts: 0, version: 2 },
        ...{ created_at: now, updated_at: now, changed_at: now, ...more },
      })
      .go()
    return key
  }
  const [deleted, there, ofCase] = [
    await add({ deleted_at: now }),
    await add({}),
    await add({ deleted_at: now, case_id: newId('case') }),
  ]
  const leave = erasureInDeletedDocument(db)

  for (const { id } of [deleted, deleted, there, ofCase])
    await leave(workspace_id, id, (text) => text.replaceAll('Anna Meier', '[gelöscht]'))

  const left = await Promise.all(
    [deleted, there, ofCase].map(async (key) => (await items.get(key).go()).data),
  )
  expect(left.map((one) => [one?.filename, one?.version])).toEqual([
    ['Vollmacht [gelöscht].pdf', 3],
    ['Vollmacht Anna Meier.pdf', 2],
    ['Vollmacht Anna Meier.pdf', 2],
  ])
})
