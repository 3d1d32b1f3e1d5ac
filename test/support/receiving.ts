import { vi } from 'vitest'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { reception } from '#correspondence/reception.ts'
import type { Verdicts } from '#correspondence/schema.ts'
import { bucketFiles } from '#files/bucket.ts'
import { systemClock } from '#kernel/clock.ts'
import { readHeader } from '#mail/read-header.ts'
import type { Firm } from './firm.ts'

export const nothingKnown: Verdicts = {
  spam: 'unknown',
  virus: 'unknown',
  spf: 'unknown',
  dkim: 'unknown',
  dmarc: 'unknown',
}

/** A mail whose sender is verified. */
export const vouchedFor: Verdicts = { ...nothingKnown, dmarc: 'pass' }

/**
 * Mail for a firm of the shared service, accepted as by every entry point; then the service's worker processes it.
 */
export async function receiving(firm: Firm) {
  const { foundation } = await import('#foundation/foundation.ts')
  const { inboxFoundation } = await import('#foundation/inbox.ts')
  const { correspondenceFoundation } = await import('#foundation/correspondence.ts')
  const { receptionStore } = await import('#store/correspondence/reception-store.ts')
  const base = foundation('test')
  inboxFoundation(base)
  const { store } = correspondenceFoundation(base)
  const { receive } = reception({
    store: receptionStore(base),
    files: bucketFiles(),
    readHeader,
    clock: base.clock,
  })

  return {
    /** @returns the id of the record */
    receive: (raw: Uint8Array, verdicts = vouchedFor, envelope_from: string | null = null): Promise<string> =>
      receive({
        raw,
        recipients: [firm.workspace.inbound_address],
        received_at: systemClock.now(),
        checks: { verdicts, envelope_from, authserv_id: 'amazonses.com' },
        token: null,
        delivery: crypto.randomUUID(),
      }),

    /** Waits until the mail is read and finally judged. */
    judged: (id: string): Promise<CorrespondenceRecord> =>
      vi.waitFor(
        async () => {
          const record = await store.find(firm.workspace.id, id)
          if (record?.inbox?.is_judged !== true)
            throw new Error(`${id} is not judged, but ${record?.status}.`)
          return record
        },
        { timeout: 110_000, interval: 150 },
      ),
  }
}
