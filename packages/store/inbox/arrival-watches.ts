import type { ArrivalWatches } from '#inbox/ports.ts'
import type { Db } from '../db.ts'
import { dueIndex, dueShard } from '../due-index.ts'
import { change, isMade, transact } from '../transact.ts'
import { arrivalWatch } from './arrival-watch-entity.ts'

/** The watches of what arrived in the table. The transactions of the records add and remove them (`arrival-actions.ts`). */
export function arrivalWatches(db: Db): ArrivalWatches {
  const watches = arrivalWatch(db)
  return {
    ...dueIndex(
      'arrivals',
      (shard) => watches.query.oldest({ shard }),
      ({ workspace_id, id, sent_at }) => ({ workspace_id, id, sent_at }),
    ),

    sent: async (id, at) => {
      // Not if it was judged meanwhile.
      await isMade(transact(db, [change(watches.patch(watchKey(id)).set({ sent_at: at.toISOString() }))]))
    },

    forget: async (id) => {
      await watches.delete(watchKey(id)).go()
    },
  }
}

/** The key of the watch of a record. */
export function watchKey(id: string) {
  return { shard: dueShard(id), id }
}
