import type { BeaMessageRecord } from '#bea/ports.ts'
import type { EvidenceSources } from '#deadlines/ports.ts'
import { getsById, readAll } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { withNulls } from '../nulls.ts'
import { beaMessageEntity } from './bea-message-entity.ts'

/** What the register may name a message by. */
type Facts = Pick<
  BeaMessageRecord,
  | 'direction'
  | 'subject'
  | 'sender'
  | 'recipients'
  | 'confidential'
  | 'case_id'
  | 'sent_at'
  | 'received_at'
  | 'imported_at'
>

const facts = [
  'id',
  'direction',
  'subject',
  'sender',
  'recipients',
  'confidential',
  'case_id',
  'sent_at',
  'received_at',
  'imported_at',
] as const

/**
 * Sent beA messages as evidence that an act was done (F16): imported ones, with what the network acknowledged.
 *
 * @param nameOf what everybody may read of a message
 */
export function beaEvidence(
  db: Db,
  nameOf: (message: Facts, timeZone: string) => string,
): Pick<EvidenceSources, 'sentBeaMessage' | 'beaMessageNames'> {
  const messages = lazily(() => beaMessageEntity(db))
  return {
    sentBeaMessage: async (workspace_id, id) => {
      const { data } = await messages.get({ workspace_id, id }).go(strongly)
      if (data === null || data.direction !== 'outbound') return undefined
      const delivered: unknown = data.receipt?.delivered_at
      return { is_acknowledged: typeof delivered === 'string' }
    },
    beaMessageNames: async (workspace_id, ids, timeZone) => {
      const gets = getsById(ids, (id) => messages.get({ workspace_id, id }))
      const items = (await readAll(db, gets, facts)) as (Facts & { id: string })[]
      const named = items.map((item) => withNulls(item, ['case_id', 'sent_at', 'received_at']))
      return new Map(named.map((item) => [item.id, nameOf(item, timeZone)]))
    },
  }
}
