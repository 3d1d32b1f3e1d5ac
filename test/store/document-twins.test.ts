import { beforeEach, describe, expect, it } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { putEach } from '#store/batch.ts'
import type { Db } from '#store/db.ts'
import { documentEntity, documentTwin } from '#store/documents/document-entity.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { twinDeletedFollowUp } from '#store/documents/document-twins.ts'
import { outbox } from '#store/outbox.ts'
import { itemsOf } from '#store/pages-of.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'

let db: Db
beforeEach(async () => {
  db = await sharedTable()
})

const sha256 = 'a'.repeat(64)

/** A firm with copies of a document, of which the last one was just stored. */
async function withCopies(count: number) {
  const deps = storeDeps(db)
  const jobs = outbox(db, jobRunner(wordsFollowUp(db), twinDeletedFollowUp(deps)), { error: () => {} })
  const store = documentStore({ ...deps, outbox: jobs, requireUnused: async () => [] })
  const workspace_id = newId('workspace')
  const at = systemClock.now().toISOString()
  const ids = Array.from({ length: count }, () => newId('document'))
  const isOld = (id: string) => id !== ids.at(-1)
  await putEach(db, ids, (id) =>
    documentEntity(db).put({
      ...{ workspace_id, id, sha256, filename: 'Logo.png', mime_type: 'image/png', size_bytes: 20_000 },
      ...{ status: 'processed', source: 'email', parties: [], has_twins: isOld(id), attempts: 0, version: 1 },
      ...{ created_at: at, updated_at: at, changed_at: at },
    }),
  )
  await putEach(db, ids, (id) => documentTwin(db).put({ workspace_id, sha256, id, is_marked: isOld(id) }))

  const changed = async (): Promise<string[]> => {
    const found: string[] = []
    for await (const items of itemsOf(db, `${workspace_id}#changes#documents`, []))
      found.push(...items.map(({ sk }) => sk.split('#').at(-1) ?? ''))
    return found.toSorted()
  }
  return {
    ids,
    mark: async () => {
      await store.markDuplicates(workspace_id, sha256)
      return changed()
    },
    remove: async (id: string) => {
      await store.remove(workspace_id, id, () => ({ deleted_at: at, answer: undefined }))
      return changed()
    },
  }
}

describe('copies of a document', () => {
  it('are shown with the new one as their duplicate, up to a hundred: each has changed', async () => {
    const { ids, mark } = await withCopies(101)

    expect(await mark()).toEqual(ids)
  })

  it('are shown as before once each names a hundred others: the new one alone has changed', async () => {
    const { ids, mark } = await withCopies(102)

    expect(await mark()).toEqual(ids.slice(-1))
  })

  it('are shown as before if one is deleted that none of them names', async () => {
    const { ids, remove } = await withCopies(103)

    expect(await remove(String(ids.at(-1)))).toEqual(ids.slice(-1))
  })

  it('have changed if one is deleted that they name', async () => {
    const { ids, remove } = await withCopies(103)

    expect(await remove(String(ids[0]))).toEqual(ids.slice(0, 102))
  })
})
