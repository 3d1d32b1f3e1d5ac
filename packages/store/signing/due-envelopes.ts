import { nextAttemptAt } from '#jobs/back-off.ts'
import type { DueEnvelopes, EnvelopeRecord } from '#signing/ports.ts'
import type { Db } from '../db.ts'
import { dueChanges, dueKey, dueRecord, timedIndex } from '../due-index.ts'
import { unknownOf, withUnknown } from '../rewrite.ts'
import { erase, isMade, put, transact } from '../transact.ts'
import { dueEnvelope } from './due-envelope-entity.ts'

/** When something must happen to an envelope by itself; null if nothing must. */
export type DueAt = (envelope: EnvelopeRecord) => string | null

/** The actions that keep the index of what is due, for the transaction of the envelope. */
export function dueActions(db: Db, dueAt: DueAt) {
  return dueChanges(dueEnvelope(db), (record: EnvelopeRecord) => {
    const { workspace_id, id } = record
    const due = dueAt(record)
    return due === null ? undefined : { ...dueKey(new Date(due).toISOString(), id), workspace_id, id }
  })
}

/**
 * The envelopes in the table for which something is due.
 *
 * A failed envelope is postponed by an item of its own under another key, which replaces the item that follows from the
 * record. A change of the record meanwhile writes its own item, and the postponed one is removed when it is next looked
 * at.
 */
export function dueEnvelopes(db: Db): DueEnvelopes {
  const items = dueEnvelope(db)
  return {
    ...timedIndex('envelopes#due', items, (item) => ({
      ...dueRecord(item),
      attempts: item.attempts ?? 0,
      unknown: unknownOf(items, item),
    })),

    postpone: async ({ workspace_id, id, shard, place, attempts, unknown = {} }, now) => {
      const again = nextAttemptAt(now, attempts + 1).toISOString()
      const postponed = { shard, place: `${again}#${id}#again`, workspace_id, id, attempts: attempts + 1 }
      const actions = [erase(items.remove({ shard, place })), put(withUnknown(items.put(postponed), unknown))]
      // Not if somebody changed the envelope, or another sweep postponed it.
      await isMade(transact(db, actions))
    },

    settle: async ({ shard, place }) => {
      await items.delete({ shard, place }).go()
    },
  }
}
