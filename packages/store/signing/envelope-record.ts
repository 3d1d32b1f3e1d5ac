import type { EntityItem } from 'electrodb'
import type { EnvelopeDocumentRecord, EnvelopeRecord, SignerRecord } from '#signing/ports.ts'
import type { Reminders } from '#signing/schema.ts'
import { withNulls } from '../nulls.ts'
import type { envelopeEntity } from './envelope-entity.ts'

const nullable = [
  'status_reason',
  'message',
  'reminders',
  'expires_at',
  'sent_at',
  'completed_at',
  'declined_at',
  'voided_at',
  'void_reason',
  'expired_at',
  'next_reminder_at',
  'sealing_since',
  'seal_again_at',
  'mails_again_at',
] as const

type EnvelopeItem = EntityItem<ReturnType<typeof envelopeEntity>>

/** An envelope as it is stored in the table, as the use cases know it. */
export function envelopeOf(item: EnvelopeItem): EnvelopeRecord {
  const { documents, signers, reminders, ...others } = withNulls(item, nullable)
  return {
    ...others,
    documents: documents as EnvelopeDocumentRecord[],
    signers: signers as SignerRecord[],
    reminders: reminders as Reminders | null,
  }
}
