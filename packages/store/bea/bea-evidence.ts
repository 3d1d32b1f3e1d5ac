import type { EvidenceSources } from '#deadlines/ports.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { beaMessageEntity } from './bea-message-entity.ts'

/** Sent beA messages as evidence that an act was done (F16): imported ones, with what the network acknowledged. */
export function beaEvidence(db: Db): Pick<EvidenceSources, 'sentBeaMessage'> {
  const messages = lazily(() => beaMessageEntity(db))
  return {
    sentBeaMessage: async (workspace_id, id) => {
      const { data } = await messages.get({ workspace_id, id }).go(strongly)
      if (data === null || data.direction !== 'outbound') return undefined
      const delivered: unknown = data.receipt?.delivered_at
      return { is_acknowledged: typeof delivered === 'string' }
    },
  }
}
