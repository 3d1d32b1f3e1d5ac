import type { WholeStep } from '#parties/erasure-ports.ts'
import type { IndexWake } from '#text-search/wake-schema.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { isIndexClean } from '../text-search/is-index-clean.ts'
import { markOf, searchMarks } from '../text-search/search-marks.ts'

/**
 * The steps after which no file of the index of texts has the data of a party (T5). The mark of the party comes after the
 * marks of the records that named it. So the index processes it last, and then rewrites its files. `isGone` waits for
 * that.
 */
export function erasureInIndex(deps: {
  db: Db
  outbox: Pick<Outbox, 'commit'>
  /** Asks the worker of the index to look at a firm. */
  wake: (message: IndexWake) => Promise<void>
}): { marked: WholeStep; isGone: WholeStep } {
  const { db, outbox, wake } = deps
  const { mark } = searchMarks(db)
  return {
    marked: async ({ workspace_id, id }) => {
      const { actions, jobs } = mark(workspace_id, markOf('changed', id, { erase: true }))
      await outbox.commit(actions, jobs)
    },

    isGone: async ({ workspace_id, id }) => {
      if (await isIndexClean(db, workspace_id, (place) => place.endsWith(id))) return undefined
      // The message that followed the mark may be lost.
      await wake({ workspace_id })
      return 'later'
    },
  }
}
