import type { HistoryEntry } from '#deadlines/history-schema.ts'
import { entity, jsonOf, listKey, text } from '../entity.ts'

/** One entry of a deadline's history, created with the change that it describes and never written again (F11). */
export const historyEntry = entity(
  'history',
  listKey('oldest', '${workspace_id}#history#${deadline_id}', '${position}'),
  {
    /** The entry as it is answered, word for word: its hash is over it. */
    entry: jsonOf<HistoryEntry>(),
  },
)

/** The events of deadlines on a day: refers to the entries of their histories (F12). */
export const journalEntry = entity(
  'journal',
  listKey('oldest', '${workspace_id}#journal#${day}', '${place}'),
  {
    /** The date in UTC, so that a workspace can change its time zone. */
    day: text,
    /** `<at>#<deadline_id>#<position>`: sorts by time. */
    place: text,
    deadline_id: text,
    position: text,
  },
)
