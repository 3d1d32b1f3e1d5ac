import { dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import { holidayOn, holidayYears, isDayOff, laender } from '#german-time/holidays.ts'
import { localDateOf, withOffset } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import { isOver } from '#german-time/time-limit.ts'
import type { Basis } from './basis-schema.ts'
import type { DeadlineRecord } from './ports.ts'
import { fristNames } from './summaries.ts'

/**
 * German warnings about deadlines that were just entered or changed (F17). A deadline gets one if it is due on a day
 * off of the region, in the past, after the years of the holiday table, or at midnight. (Midnight belongs to the day
 * before.) The warnings of a calculation are in its basis.
 */
export function dueWarnings(
  deadlines: readonly Pick<DeadlineRecord, 'frist_type' | 'due_at' | 'completed_at'>[],
  { timeZone, now, region }: { timeZone: string; now: Date; region: Region },
): string[] {
  return deadlines.flatMap(({ frist_type, due_at, completed_at }) => {
    if (completed_at !== null) return []
    const date = localDateOf(new Date(due_at), timeZone)
    const kind = fristNames[frist_type]
    const day = germanDate(dayNumberOf(date))
    const isPast = isOver(due_at, now)
    const holiday = holidayOn(date, { region })
    const { first, last } = holidayYears
    const isBeyondTable = Number(date.slice(0, 4)) > last
    const isMidnight = withOffset(new Date(due_at), timeZone).slice(11, 19) === '00:00:00'
    return [
      ...(isPast ? [`Die ${kind} (${day}) liegt in der Vergangenheit.`] : []),
      ...(isDayOff(date, { region })
        ? [
            `Die ${kind} fällt auf einen arbeitsfreien Tag in ${laender[region].name}: ${holiday ? `${holiday.name} (${day})` : day}.`,
          ]
        : []),
      ...(isBeyondTable
        ? [
            `Die ${kind} (${day}) liegt nach den Jahren ${first} bis ${last}, für die Feiertage hinterlegt sind: Ob dieser Tag arbeitsfrei ist, muss geprüft werden.`,
          ]
        : []),
      ...(isMidnight
        ? [
            `Die ${kind} (${day}) ist um 0 Uhr fällig, also mit Ablauf des Vortags (${germanDate(dayNumberOf(date) - 1)}): Im Register steht sie erst einen Tag später.`,
          ]
        : []),
    ]
  })
}

/**
 * German warnings about dates of a calculation that are in the future. The event that begins a period has usually
 * happened already, and a wrong year would make a deadline a year late. Only a backward period is counted from a future
 * event.
 */
export function eventWarnings(
  basis: Basis | null,
  { timeZone, now }: { timeZone: string; now: Date },
): string[] {
  if (basis === null || basis.direction === 'backward') return []
  const today = localDateOf(now, timeZone)
  const dates: [string, string | null][] = [
    [
      'Das Ereignis',
      basis.event_at === null ? basis.event_date : localDateOf(new Date(basis.event_at), timeZone),
    ],
    ['Die Aufgabe zur Post', basis.posted_on],
    ['Die Verkündung', basis.pronounced_on],
    ['Das Ende der versäumten Frist', basis.missed_on],
    ['Die Bekanntgabe', basis.announced_on],
  ]
  return dates.flatMap(([name, date]) =>
    date === null || date <= today
      ? []
      : [`${name} (${germanDate(dayNumberOf(date))}) liegt in der Zukunft: Das Jahr ist zu prüfen.`],
  )
}

/**
 * German warnings about a Vorfrist that does not move with its Hauptfrist: it is completed, or was set by hand to a
 * time after the new end.
 */
export function vorfristWarnings(
  { due_at }: Pick<DeadlineRecord, 'due_at'>,
  vorfrist: Pick<DeadlineRecord, 'due_at' | 'completed_at'>,
  timeZone: string,
): string[] {
  if (vorfrist.completed_at !== null)
    return ['Die Vorfrist ist schon erledigt: An das neue Ende erinnert keine Vorfrist.']
  if (vorfrist.due_at <= due_at) return []
  const day = germanDate(dayNumberOf(localDateOf(new Date(vorfrist.due_at), timeZone)))
  return [`Die Vorfrist (${day}) wurde von Hand gesetzt und liegt nach der Hauptfrist.`]
}

/** German warnings about an open Nachfrist that is due before its Hauptfrist, with which it does not move. */
export function nachfristWarnings(
  { due_at }: Pick<DeadlineRecord, 'due_at'>,
  nachfrist: Pick<DeadlineRecord, 'due_at' | 'completed_at'>,
  timeZone: string,
): string[] {
  if (nachfrist.completed_at !== null || nachfrist.due_at >= due_at) return []
  const day = germanDate(dayNumberOf(localDateOf(new Date(nachfrist.due_at), timeZone)))
  return [`Die Nachfrist (${day}) liegt vor der Hauptfrist: Sie ist zu prüfen.`]
}
