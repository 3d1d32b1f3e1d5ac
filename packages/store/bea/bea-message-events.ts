import type { BeaMessageRecord } from '#bea/ports.ts'
import { type EventType, type NewEvent, toRead } from '#webhooks/catalogue-schema.ts'

/**
 * The events of a change of a beA message (E1). `before` is undefined of a new one. That a message was sent is an event
 * of its draft: one that a synchronisation finds is none (E10).
 */
export function beaMessageEvents(before: BeaMessageRecord | undefined, after: BeaMessageRecord): NewEvent[] {
  const { id, case_id, direction, is_missing, eeb } = after
  const arrives = before === undefined && direction === 'inbound' && !is_missing
  const about = (type: EventType, more: { status?: string } = {}): NewEvent => ({
    type,
    data: { id, case_id, ...more },
    needs: toRead(after),
  })
  return [
    ...(arrives ? [about('bea_message.received')] : []),
    ...(arrives && eeb !== null ? [about('eeb.requested')] : []),
    ...(before !== undefined && before.case_id !== case_id ? [about('bea_message.filed')] : []),
    ...(eeb !== null && isAnswered(after) && !isAnswered(before)
      ? [about('eeb.answered', { status: eeb.status })]
      : []),
  ]
}

function isAnswered(record: BeaMessageRecord | undefined): boolean {
  return record?.eeb?.status === 'confirmed' || record?.eeb?.status === 'rejected'
}
