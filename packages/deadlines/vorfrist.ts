import { dayNumberOf } from '#german-time/calendar-date.ts'
import { localDateOf, sameLocalTimeDaysBefore } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import { beginningOf } from '#kernel/text.ts'
import { workingDay } from './day-off.ts'
import type { DeadlineRecord } from './ports.ts'

/** The title of a Hauptfrist's Vorfrist, no longer than a title may be. */
export function vorfristTitle(title: string): string {
  return beginningOf(`Vorfrist: ${title}`, 500)
}

/**
 * When a Vorfrist is due: the given number of calendar days before the Hauptfrist, at the same local time (F2). With
 * `onWorkingDay` a Vorfrist on a day off is due on the working day before (F17), so that the file reaches the lawyer in
 * time. By law (§ 193 BGB, § 222 Abs. 2 ZPO) a reminder does not move.
 */
export function vorfristDue(
  due: string,
  { days, onWorkingDay }: { days: number; onWorkingDay: boolean },
  { timeZone, region }: { timeZone: string; region: Region },
): string {
  const exact = sameLocalTimeDaysBefore(new Date(due), days, timeZone)
  if (!onWorkingDay) return exact.toISOString()
  const { skipped } = workingDay(dayNumberOf(localDateOf(exact, timeZone)), 'backward', { region })
  return sameLocalTimeDaysBefore(new Date(due), days + skipped.length, timeZone).toISOString()
}

/** Whether a Vorfrist moves with its Hauptfrist. It does not if its due time was set by hand or if it is completed. */
export function follows(vorfrist: DeadlineRecord): vorfrist is DeadlineRecord & { follows_days: number } {
  return vorfrist.follows_days !== null && vorfrist.completed_at === null
}

/**
 * The fields that a deadline takes over from the one it belongs to: the new title, assignee and category, if it had the
 * old ones. `titleFor` makes its title from the other deadline's title.
 */
export function takenOver(
  follower: DeadlineRecord,
  titleFor: (title: string) => string,
  before: DeadlineRecord,
  { title, assigned_to, category }: Pick<DeadlineRecord, 'title' | 'assigned_to' | 'category'>,
): Partial<DeadlineRecord> {
  return {
    ...(title !== before.title && follower.title === titleFor(before.title) && { title: titleFor(title) }),
    ...(assigned_to !== before.assigned_to && follower.assigned_to === before.assigned_to && { assigned_to }),
    ...(category !== before.category && follower.category === before.category && { category }),
  }
}
