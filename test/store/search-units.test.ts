import { expect, it } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { newId } from '#kernel/id.ts'
import type { Cursors } from '#store/cursor.ts'
import { type Listed, recordList } from '#store/search.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { transact } from '#store/transact.ts'
import { interceptStoreCalls, unitsOf } from '#test/bench/store-calls.ts'
import { sharedTable } from '#test/support/table.ts'

const storeCalls = interceptStoreCalls()

const cursors: Cursors = { seal: async (_, position) => position, open: async (_, cursor) => cursor }

it('a search reads one unit of each word, also where cases hold the names of their parties (C9)', async () => {
  // Prepare
  const db = await sharedTable()
  const workspace = newId('workspace')
  const list = recordList(db, cursors, 'cases', (one: Listed & { workspace_id: string }) => one)
  const runner = jobRunner(wordsFollowUp(db))
  for (let at = 0; at < 24; at += 1) {
    const id = newId('case')
    const name = 'Schulze-Brandenburg ./. Zimmermann Elektrotechnik GmbH & Co. KG wegen Verkehrsunfall'
    const texts = [name, `250${at + 10}/26`, 'Nordwall Versicherung AG', 'Greta Zimmermann']
    const record = { workspace_id: workspace, id, summary: { id }, filters: {}, texts }
    await transact(db, list.changes(undefined, record))
    for (const job of list.follow(undefined, record)) await runner.run(job)
  }
  const search = 'zimmermann quitzdorf'

  // Act
  const { result, calls } = await storeCalls.record(() =>
    list.page(workspace, { filters: {}, search }, { limit: 50 }),
  )

  // Assess
  expect(result.data).toEqual([])
  expect(calls.map((call) => unitsOf([call]).read)).toEqual(calls.map(() => 1))
  expect(calls).toHaveLength(8)
})
