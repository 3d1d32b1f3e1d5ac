import type { DueEnvelopes, EnvelopeRecord } from '#signing/ports.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { type Action, erase, put } from '../transact.ts'
import { dueEnvelope } from './due-envelope-entity.ts'

/** When something must happen to an envelope by itself; null where nothing must. */
export type DueAt = (envelope: EnvelopeRecord) => string | null

/** The actions that keep the index of what is due, for the transaction of the envelope. */
export function dueActions(db: Db, dueAt: DueAt) {
  const items = lazily(() => dueEnvelope(db))
  const keyOf = (record: EnvelopeRecord | undefined) => {
    const due = record === undefined ? null : dueAt(record)
    return record === undefined || due === null ? undefined : keyAt(due, record.id)
  }
  return (before: EnvelopeRecord | undefined, after: EnvelopeRecord): Action[] => {
    const [old, now] = [keyOf(before), keyOf(after)]
    if (old?.place === now?.place) return []
    const { workspace_id, id } = after
    return [
      ...(old === undefined ? [] : [erase(items.delete(old))]),
      ...(now === undefined ? [] : [put(items.put({ ...now, workspace_id, id }))]),
    ]
  }
}

/** The envelopes in the table for which something is due. */
export function dueEnvelopes(db: Db): DueEnvelopes {
  const items = lazily(() => dueEnvelope(db))
  return {
    shards: [...'0123456789abcdef'],

    due: async (shard, at, limit) => {
      const { data } = await items.query
        .longestDue({ shard })
        .lt({ place: new Date(at.getTime() + 1).toISOString() })
        .go({ limit, ...strongly })
      return data.map(({ workspace_id, id }) => ({ workspace_id, id }))
    },
  }
}

function keyAt(due: string, id: string) {
  return { shard: id.slice(-1), place: `${new Date(due).toISOString()}#${id}` }
}
