import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Db } from '#store/db.ts'
import { sortedList } from '#store/sorted-list.ts'
import { searchIndexStore } from '#store/text-search/search-index-store.ts'
import { memorySearchIndex, workspaceId } from '#test/support/memory-search-index.ts'
import { ownTable } from '#test/support/own-table.ts'
import { newRebuild } from '#text-search/manifest.ts'
import { searchedLists } from '#text-search/ports.ts'

const ids = ['doc_9', 'corr_5', 'beamsg_1_account'] as const

let db: Db
let index: ReturnType<typeof memorySearchIndex>
beforeEach(async () => {
  db = await ownTable()
  index = memorySearchIndex(searchIndexStore({ db }))
  for (const [at, list] of searchedLists.entries()) {
    const id = ids[at] ?? ''
    await sortedList(db, list, 'ascending').write(workspaceId, [{ term: 'all', place: id, data: {} }], [])
    index.write(id, 'Schriftsatz')
  }
  await index.run()
})
afterEach(() => index.remove())

/** Has the worker make the index anew from this state. */
async function rebuild(state: typeof newRebuild): Promise<void> {
  const store = searchIndexStore({ db })
  const before = await store.manifest(workspaceId)
  if (before === undefined) throw new Error('There is no index.')
  await store.replace(before, { ...before, rebuild: state })
}

it('an index that is made anew has documents, mails and beA messages', async () => {
  await rebuild(newRebuild)

  await index.run()

  expect(index.manifest()?.rebuild).toBeUndefined()
  expect(await index.find('Schriftsatz')).toEqual(ids.toSorted())
})

it('an index that is made anew once more begins with the first document', async () => {
  await rebuild({ ...newRebuild, after: 'doc_9' })
  await rebuild(newRebuild)

  await index.run()

  expect(await index.find('Schriftsatz')).toEqual(ids.toSorted())
})
