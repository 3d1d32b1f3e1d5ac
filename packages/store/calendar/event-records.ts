import type { EventRecord } from '#calendar/ports.ts'
import { withUnknownMembers } from '#kernel/with-unknown-members.ts'
import { fieldsById } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, put } from '../transact.ts'
import { eventEntity } from './event-entity.ts'

/** The records of events, each an item of its own. */
export function eventRecords(db: Db) {
  const events = eventEntity(db)

  const findWithDeleted = async (workspaceId: string, id: string): Promise<EventRecord | undefined> => {
    const { data } = await events.get({ workspace_id: workspaceId, id }).go(strongly)
    return data === null ? undefined : recordOf(data.record)
  }

  return {
    /** The event, also if it was deleted. */
    findWithDeleted,

    /** The event, unless it does not exist or was deleted. */
    async find(workspaceId: string, id: string): Promise<EventRecord | undefined> {
      const record = await findWithDeleted(workspaceId, id)
      return record?.deleted_at === null ? record : undefined
    },

    /** The events with these ids, by id, without missing and deleted ones. */
    async findAll(workspaceId: string, ids: string[]): Promise<Map<string, EventRecord>> {
      const found = new Map<string, EventRecord>()
      for (const [id, item] of await fieldsById(db, events, workspaceId, ids, ['record'])) {
        const record = recordOf(item.record)
        if (record.deleted_at === null) found.set(id, record)
      }
      return found
    },

    /** Stores a new event, or a changed one on the condition that nobody else has changed it. */
    write(before: EventRecord | undefined, after: EventRecord): Action {
      const { workspace_id, id, version } = after
      const record = JSON.stringify(withUnknownMembers(before, after, { changed_at: true }))
      const item = { workspace_id, id, version, record }
      if (before === undefined) return put(events.create(item))
      return rewrite(events, events.put(item).where(asRead(before)), {})
    },
  }
}

export type EventRecords = ReturnType<typeof eventRecords>

/** Not validated: only `write` writes this text. */
function recordOf(text: string): EventRecord {
  return JSON.parse(text)
}
