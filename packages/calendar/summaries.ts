import { germanDay } from '#german-time/calendar-date.ts'
import { withOffset } from '#german-time/local-time.ts'
import type { EventRecord } from './ports.ts'

/** The type and the German text of a timeline entry. */
export type Summary = { type: string; summary: string }

/** The summary in a case's timeline for a new event. */
export function created(record: EventRecord, timeZone: string): Summary {
  return { type: 'event.created', summary: `${named(record)} eingetragen: ${when(record, timeZone)}` }
}

/** The summary for a changed event: the differences. */
export function changed(before: EventRecord, after: EventRecord, timeZone: string): Summary {
  const changes = [
    ...(before.title !== after.title ? [`Titel „${after.title}“`] : []),
    ...(before.type !== after.type ? [`Art „${nouns[after.type]}“`] : []),
    ...(when(before, timeZone) !== when(after, timeZone)
      ? [`verlegt von ${when(before, timeZone)} auf ${when(after, timeZone)}`]
      : movedBySeconds(before, after)
        ? ['Uhrzeit um Sekunden']
        : []),
    ...(before.location !== after.location ? [`Ort ${quoted(after.location)}`] : []),
    ...(before.description !== after.description ? ['Beschreibung'] : []),
    ...(JSON.stringify(before.attendees) !== JSON.stringify(after.attendees) ? ['Teilnehmer'] : []),
  ]
  return { type: 'event.updated', summary: `${named(before)} geändert: ${changes.join(', ')}` }
}

export function deleted(record: EventRecord, timeZone: string): Summary {
  return { type: 'event.deleted', summary: `${named(record)} gelöscht: ${when(record, timeZone)}` }
}

/** The summary in the timeline of the case that the event leaves. */
export function movedAway(record: EventRecord, timeZone: string): Summary {
  return {
    type: 'event.unassigned',
    summary: `${named(record)} gehört nicht mehr zur Akte: ${when(record, timeZone)}`,
  }
}

/** The summary in the timeline of the case that the event enters. */
export function movedHere(record: EventRecord, timeZone: string): Summary {
  return {
    type: 'event.assigned',
    summary: `${named(record)} der Akte zugeordnet: ${when(record, timeZone)}`,
  }
}

/**
 * Whether the stored times differ. Call it only if the shown times (without seconds) are equal: then they differ only
 * in seconds.
 */
function movedBySeconds(before: EventRecord, after: EventRecord): boolean {
  return before.starts_at !== after.starts_at || before.ends_at !== after.ends_at
}

const nouns = { event: 'Termin', meeting: 'Besprechung' } as const

function named({ type, title }: EventRecord): string {
  return `${nouns[type]} „${title}“`
}

function quoted(text: string | null): string {
  return text ? `„${text}“` : 'entfernt'
}

/** `16.04.2026, 09:00 bis 10:00 Uhr`, `16.04.2026 bis 18.04.2026` */
function when({ starts_at, ends_at, first_day, last_day }: EventRecord, timeZone: string): string {
  if (first_day !== null && last_day !== null)
    return first_day === last_day
      ? germanDay(first_day)
      : `${germanDay(first_day)} bis ${germanDay(last_day)}`
  const [start, end] = [withOffset(new Date(starts_at), timeZone), withOffset(new Date(ends_at), timeZone)]
  const [startDay, startTime] = [germanDay(start.slice(0, 10)), start.slice(11, 16)]
  const [endDay, endTime] = [germanDay(end.slice(0, 10)), end.slice(11, 16)]
  return startDay === endDay
    ? `${startDay}, ${startTime} bis ${endTime} Uhr`
    : `${startDay}, ${startTime} Uhr bis ${endDay}, ${endTime} Uhr`
}
