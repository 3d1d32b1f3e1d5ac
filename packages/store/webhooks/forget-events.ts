import { inParallel } from '#kernel/in-parallel.ts'
import { chunks } from '../batch.ts'
import type { Db } from '../db.ts'
import { itemsOf } from '../pages-of.ts'
import { maxActions, retryStale, transact } from '../transact.ts'
import { allEvents, eventList, type LoggedEvent, lapsesAt } from './event-actions.ts'

/**
 * Takes events out of the log of a firm. Their places stay, without what the events say: a reader may continue after one
 * of them.
 *
 * @param isGone whether an event goes, by its place and its data as they are stored
 * @returns false if the time was over before: call again
 */
export function forgetEvents(
  db: Db,
  workspaceId: string,
  isGone: (place: string, data: string) => boolean,
  isOver: () => boolean,
): Promise<boolean> {
  const list = eventList(db)
  // An event that is moved meanwhile stands at another place too, which may have been read already.
  return retryStale(async () => {
    for await (const items of itemsOf(db, `${workspaceId}#webhook_events#${allEvents}`, ['data'])) {
      if (isOver()) return false
      const actions = items
        .map(({ sk, data }) => ({ place: sk, text: String(data) }))
        .filter(({ place, text }) => isGone(place, text))
        .map(({ place, text }) => {
          const data = JSON.parse(text) as LoggedEvent
          const entry = { term: allEvents, place, data, ttl: lapsesAt(place) }
          // A place to which an event was moved is not the id of one.
          const left = data.id === undefined ? placeholder(place, data) : undefined
          return list.replacement(workspaceId, entry, left)
        })
      await inParallel(chunks(actions, maxActions), async (some) => {
        await transact(db, some)
      })
    }
    return true
  })
}

/** The placeholder of an event: it looks like an event that was moved, to this place if it was not moved before. */
function placeholder(place: string, { type, moved = place }: LoggedEvent): LoggedEvent {
  return { type, data: { id: '', case_id: null }, moved }
}
