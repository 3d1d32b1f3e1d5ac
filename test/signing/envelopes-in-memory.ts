import { notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { EnvelopeChange, EnvelopeRecord, EnvelopeStore } from '#signing/ports.ts'

/** Envelopes in memory, and their changes. */
export function envelopesInMemory(...first: EnvelopeRecord[]) {
  const records = new Map(first.map((record) => [record.id, record]))
  const changes: EnvelopeChange[] = []
  const store: Pick<EnvelopeStore, 'find' | 'change'> = {
    find: async (_, id) => records.get(id),
    change: async (_, id, decide) => {
      const before = records.get(id)
      if (before === undefined) throw notFound('ENVELOPE_NOT_FOUND')
      const decided = decide(before)
      if (decided.record !== undefined) {
        records.set(id, decided.record)
        changes.push(decided)
      }
      return unchanged(decided.answer)
    },
  }
  return { store, records, changes }
}
