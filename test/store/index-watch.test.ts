import { describe, expect, it } from 'vitest'
import { uuidv7 } from '#kernel/id.ts'
import { indexWatch } from '#store/text-search/index-watch.ts'
import { dueIndexes } from '#store/text-search/search-index-store.ts'
import { sharedTable } from '#test/support/table.ts'
import type { DueFirm } from '#text-search/ports.ts'

describe('a change of a text', () => {
  it('has the sweeper look at its firm 10 to 20 minutes later, once for all changes of ten minutes', async () => {
    const db = await sharedTable()
    const workspaceId = `ws_${uuidv7()}`
    let time = Date.parse('2031-03-05T10:00:01.000Z')
    const watch = indexWatch({ db, clock: { now: () => new Date(time) } })
    for (const minutes of [0, 4, 5]) {
      time += minutes * 60_000
      await watch(workspaceId)
    }
    await watch(workspaceId)
    // Act
    const found: DueFirm[] = []
    for await (const item of dueIndexes(db).due(workspaceId.slice(-1), new Date('2031-03-06T00:00:00Z')))
      if (item.workspace_id === workspaceId) found.push(item)
    // Assess
    expect(found).toEqual([{ workspace_id: workspaceId, due_at: '2031-03-05T10:20:00.000Z' }])
  })
})
