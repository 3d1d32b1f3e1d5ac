import type { BeaMessageRecord } from '#bea/ports.ts'
import type { EvidenceSources } from '#deadlines/ports.ts'
import type { Actor } from '#kernel/actor.ts'
import { fieldsById } from '../batch.ts'
import { type Db, strongly } from '../db.ts'
import { withNulls } from '../nulls.ts'
import { beaMessageEntity } from './bea-message-entity.ts'

/** The facts by which the register may name a message. */
export type EvidenceFacts = Pick<BeaMessageRecord, (typeof facts)[number]>

const facts = [
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
 * @param mayRead whether a user may read a message (B8)
 */
export function sentBeaMessages(
  db: Db,
  mayRead: (actor: Actor, message: Pick<BeaMessageRecord, 'account_id' | 'confidential'>) => Promise<boolean>,
): Pick<EvidenceSources, 'sentBeaMessage'> {
  const messages = beaMessageEntity(db)
  return {
    sentBeaMessage: async (actor, id) => {
      const { data } = await messages.get({ workspace_id: actor.workspace_id, id }).go(strongly)
      if (data === null || data.direction !== 'outbound' || !(await mayRead(actor, data))) return undefined
      const delivered: unknown = data.receipt?.delivered_at
      return { acknowledged_at: typeof delivered === 'string' ? delivered : null }
    },
  }
}

export type EvidenceNames = Pick<EvidenceSources, 'beaMessageNames'>

/**
 * The names of beA messages that are evidence.
 *
 * @param nameOf what everybody may read of a message
 */
export function beaEvidenceNames(
  db: Db,
  nameOf: (message: EvidenceFacts, timeZone: string) => string,
): EvidenceNames {
  const messages = beaMessageEntity(db)
  return {
    beaMessageNames: async (workspace_id, ids, timeZone) => {
      const items = await fieldsById(db, messages, workspace_id, ids, facts)
      const nullable = { case_id: true, sent_at: true, received_at: true } as const
      return new Map([...items].map(([id, item]) => [id, nameOf(withNulls(item, nullable), timeZone)]))
    },
  }
}
