import type { Db } from '../db.ts'
import { deadlineEntity } from '../deadlines/deadline-entity.ts'
import { dueDeadline } from '../deadlines/due-deadline-entity.ts'
import { dueItemOf } from '../deadlines/due-deadlines.ts'
import { filedIn, itemIn, type Source, type Upgrade } from './upgrade.ts'

/** Enters every open deadline into the index by due time, from which the sweeper learns that it is overdue (E1). */
export const dueDeadlineItems: Upgrade = {
  layout: 12,
  name: 'due-deadlines',
  says: 'enters open deadlines by their due times, so that events say when they are overdue',
  sources: (db: Db) => {
    const [deadlines, due] = [deadlineEntity(db), dueDeadline(db)]
    const itemsFor: Source['itemsFor'] = (Item) => {
      const { data } = deadlines.parse({ Item })
      if (data === null || data.completed_at !== undefined || data.struck_at !== undefined) return []
      return [itemIn(due.put(dueItemOf(data)))]
    }
    // A deadline that is verified meanwhile is found in the second list, unless it was entered already.
    return ['open', 'verified'].map((term) => filedIn('due', deadlines, itemsFor, term))
  },
}
