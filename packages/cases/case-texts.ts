import { dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import { localDateOf } from '#german-time/local-time.ts'

/** The maximum number of open deadlines that the warning counts exactly. */
export const maxCounted = 100

/** The German adjective for a case that was deleted, closed or archived. */
export type Ended = 'gelöschte' | 'geschlossene' | 'archivierte'

/** The German warning about a case that was archived without being closed (R1). */
export const neverClosed =
  'Die Akte ist archiviert, aber nicht geschlossen worden: Ihre Aufbewahrungsfrist beginnt erst, wenn sie geschlossen oder der Tag der Schließung (`closed_on`) angegeben wird.'

/**
 * The German warning about a case that was deleted, closed or archived: how many deadlines are open, and the day of the
 * first in this time zone. Empty if none is open.
 */
export function openWarnings(what: Ended, open: readonly { due_at: string }[], timeZone: string): string[] {
  const [first] = open
  if (first === undefined) return []
  const day = germanDate(dayNumberOf(localDateOf(new Date(first.due_at), timeZone)))
  if (open.length === 1)
    return [`Die ${what} Akte hat eine offene Frist, fällig am ${day}. Sie bleibt im Fristenkalender.`]
  const count = open.length > maxCounted ? `mehr als ${maxCounted}` : open.length
  return [
    `Die ${what} Akte hat ${count} offene Fristen, die früheste fällig am ${day}. Sie bleiben im Fristenkalender.`,
  ]
}

/** The fields that a change of a case can have, apart from `closed_on`. */
export const changeableFields = ['name', 'file_number', 'status', 'type', 'description', 'dezernat'] as const

const fieldNames: Record<(typeof changeableFields)[number], string> = {
  name: 'Name',
  file_number: 'Aktenzeichen',
  status: 'Status',
  type: 'Art',
  description: 'Beschreibung',
  dezernat: 'Dezernat',
}

/** A change of a field in German, for the timeline. The description is only named, because it may be long. */
export function describeChange(
  field: (typeof changeableFields)[number],
  before: string | null,
  after: string | null | undefined,
): string {
  if (field === 'description') return fieldNames.description
  return `${fieldNames[field]} ${before ?? 'leer'} → ${after ?? 'leer'}`
}
