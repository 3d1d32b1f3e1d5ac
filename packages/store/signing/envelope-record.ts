import type { EntityItem } from 'electrodb'
import type { EnvelopeDocumentRecord, EnvelopeRecord, SignerRecord } from '#signing/ports.ts'
import type { Reminders } from '#signing/schema.ts'
import { withNulls } from '../nulls.ts'
import { envelopeEntity } from './envelope-entity.ts'

type EnvelopeItem = EntityItem<ReturnType<typeof envelopeEntity>>

/** An envelope as it is stored in the table, as the use cases know it. */
export function envelopeOf(item: EnvelopeItem): EnvelopeRecord {
  const { documents, signers, reminders, ...others } = withNulls(item, envelopeEntity.nullable)
  return {
    ...others,
    documents: documents as EnvelopeDocumentRecord[],
    signers: signers as SignerRecord[],
    reminders: reminders as Reminders | null,
  }
}
