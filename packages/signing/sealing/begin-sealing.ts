import type { Job } from '#jobs/job.ts'
import { newId } from '#kernel/id.ts'
import { sealEnvelope } from '../jobs.ts'
import type { EnvelopeRecord } from '../ports.ts'
import { sealAgainAt } from './seal-again-at.ts'

/** The fields and jobs that the last signature adds to its change: from `now` on the envelope is being sealed (S7). */
export function beginSealing(
  { workspace_id, id: envelope_id, documents }: EnvelopeRecord,
  now: Date,
): {
  fields: Pick<EnvelopeRecord, 'documents' | 'sealing_since' | 'seal_again_at' | 'next_reminder_at'>
  jobs: Job[]
} {
  const sealing_since = now.toISOString()
  return {
    fields: {
      documents: documents.map((document) => ({
        ...document,
        sealed: {
          document_id: newId('document'),
          attempts: 0,
          sha256: null,
          key: null,
          size_bytes: null,
          attached_because: null,
          is_filed: false,
        },
      })),
      sealing_since,
      seal_again_at: sealAgainAt(sealing_since, now),
      next_reminder_at: null,
    },
    jobs: [sealEnvelope.of({ workspace_id, envelope_id })],
  }
}
