import { nextAttemptAt } from '#jobs/back-off.ts'
import type { DueEnvelopes, EnvelopeRecord } from '#signing/ports.ts'
import type { Db } from '../db.ts'
import { dueChanges, dueKey, dueRecord, timedIndex } from '../due-index.ts'
import { unknownOf, withUnknown } from '../rewrite.ts'
import { erase, isMade, put, transact } from '../transact.ts'
import { dueEnvelope } from './due-envelope-entity.ts'

/** When the next timed work of an envelope is due; null if there is none. */
export type DueAt = (envelope: EnvelopeRecord) => string | null

/** The actions that update the index of timed work, for the transaction of the envelope. */
export function dueActions(db: Db, dueAt: DueAt) {
  return dueChanges(dueEnvelope(db), (record: EnvelopeRecord) => {
    const { workspace_id, id } = record
    const due = dueAt(record)
    return due === null ? undefined : { ...dueKey(new Date(due).toISOString(), id), workspace_id, id }
  })
}

/**
 * The envelopes in the table whose timed work is due.
 *
 * If the work of an envelope fails, its item is replaced by one with another key and a later time. If the envelope
 * changes in the meantime, its normal item is written again. The sweep removes the other one when it is due
 * (`settle`).
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
      // Nothing is written if somebody has changed the envelope, or another sweep has postponed it.
      await isMade(transact(db, actions))
    },

    settle: async ({ shard, place }) => {
      await items.delete({ shard, place }).go()
    },
  }
}
