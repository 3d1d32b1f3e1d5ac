import { dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import { holidayOn, isDayOff, lands } from '#german-time/holidays.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import type { DeadlineRecord } from './ports.ts'
import { fristNames } from './summaries.ts'

/**
 * German sentences about deadlines that were just entered or changed (F17): due on a day off of the region, or in the
 * past. A calculated due time has the warnings of its basis besides.
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
    const isPast = Date.parse(due_at) < now.getTime()
    const holiday = holidayOn(date, { region })
    return [
      ...(isPast ? [`Die ${kind} (${day}) liegt in der Vergangenheit.`] : []),
      ...(isDayOff(date, { region })
        ? [
            `Die ${kind} fällt auf einen arbeitsfreien Tag in ${lands[region].name}: ${holiday ? `${holiday.name} (${day})` : day}.`,
          ]
        : []),
    ]
  })
}
