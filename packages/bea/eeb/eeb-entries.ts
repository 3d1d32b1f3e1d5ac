import { germanDay } from '#german-time/calendar-date.ts'
import {
  type CaseTimelineEntry,
  entriesIn,
  shortenedSubject,
  systemActor,
  type TimelineEntry,
} from '#timeline/schema.ts'
import type { BeaMessageRecord } from '../ports.ts'

/**
 * The entry about a given or refused receipt, for the timeline of the message's case. Empty if there is no receipt or
 * the message is in no case. If the receipt is given before the message is filed, the case gets the entry at filing.
 *
 * @param at the time of the entry
 */
export function eebEntries(
  { id, case_id, subject, confidential, eeb, eeb_given }: BeaMessageRecord,
  at: string,
): CaseTimelineEntry[] {
  if (case_id === null || (eeb?.status !== 'confirmed' && eeb?.status !== 'rejected')) return []
  const isConfirmed = eeb.status === 'confirmed'
  const day = eeb.date === null ? '' : ` mit Datum ${germanDay(eeb.date)}`
  const why = eeb_given?.why ?? null
  const because = why === null ? '' : isConfirmed ? `, ohne Frist: ${why}` : `: ${why}`
  return entriesIn(case_id, {
    type: isConfirmed ? 'bea.eeb_confirmed' : 'bea.eeb_rejected',
    occurred_at: at,
    actor: actorOf(eeb_given),
    // Everybody reads timelines, but the subject of a confidential message needs the right 11 (B8).
    summary: `Empfangsbekenntnis für ${confidential ? 'eine vertrauliche Nachricht' : `„${shortenedSubject(subject)}“`} ${
      isConfirmed ? `abgegeben${day}` : 'zurückgewiesen'
    }${because}`,
    ref: { type: 'bea_message', id },
  })
}

/** The user who gave the receipt; the system for older receipts, which do not name the user. */
function actorOf(given: BeaMessageRecord['eeb_given']): TimelineEntry['actor'] {
  if (given === undefined) return systemActor
  return { type: 'user', id: given.by.id, name: given.by.name }
}
