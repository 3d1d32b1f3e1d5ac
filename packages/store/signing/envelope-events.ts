import type { EnvelopeRecord } from '#signing/ports.ts'
import { type EventType, eventsAbout, type NewEvent } from '#webhooks/catalogue-schema.ts'

/** The events of a change of an envelope (E1). A new envelope has at most the event `envelope.sent`. */
export function envelopeEvents(before: EnvelopeRecord | undefined, after: EnvelopeRecord): NewEvent[] {
  const sent = isSent(after) && !(before && isSent(before)) ? (['envelope.sent'] as const) : []
  return eventsAbout(after, ...sent, ...(before === undefined ? [] : changesSince(before, after)))
}

function changesSince(before: EnvelopeRecord, after: EnvelopeRecord): EventType[] {
  return [
    ...(openings(after) > 0 && openings(before) === 0 ? (['envelope.opened'] as const) : []),
    ...Array.from({ length: signatures(after) - signatures(before) }, () => 'envelope.signed' as const),
    ...ended.flatMap((status) =>
      after.status === status && before.status !== status ? [`envelope.${status}` as const] : [],
    ),
  ]
}

const ended = ['declined', 'completed', 'expired', 'voided'] as const

function isSent({ status }: EnvelopeRecord): boolean {
  return status !== 'draft'
}

function openings(record: EnvelopeRecord): number {
  return record.signers.filter(({ opened_at }) => opened_at !== null).length
}

function signatures(record: EnvelopeRecord): number {
  return record.signers.filter(({ signature }) => signature !== null).length
}
