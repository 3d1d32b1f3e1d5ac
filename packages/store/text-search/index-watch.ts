import { bookkeeping } from '#kernel/changes.ts'
import type { Clock } from '#kernel/clock.ts'
import { type Db, strongly } from '../db.ts'
import { dueIndexWork } from './search-index-entity.ts'
import { dueItemAt } from './search-index-store.ts'

/** A firm that has changed is looked at once in such a time, and at the earliest after as long again. */
const watchMilliseconds = 10 * 60_000

/**
 * Has the sweeper look at the index of a firm 10 to 20 minutes after a change, whether the worker has done its work by then
 * or not. So a lost message or a worker that cannot start delays a text, and the alarm on waiting texts knows of it. All
 * changes within ten minutes write the same item: a process that has just written it does not repeat that.
 */
export function indexWatch({ db, clock }: { db: Db; clock: Clock }): (workspaceId: string) => Promise<void> {
  const items = dueIndexWork(db)
  let last: string | undefined
  return async (workspaceId) => {
    const next = Math.ceil(clock.now().getTime() / watchMilliseconds) + 1
    const item = dueItemAt(workspaceId, new Date(next * watchMilliseconds).toISOString())
    if (item.place === last) return
    await bookkeeping(() => items.put(item).go(strongly))
    last = item.place
  }
}
