import { sameLocalTimeDaysBefore } from '#german-time/local-time.ts'
import { beginningOf } from '#kernel/text.ts'
import type { DeadlineRecord } from './ports.ts'

/** The title of a Hauptfrist's Vorfrist, no longer than a title may be. */
export function vorfristTitle(title: string): string {
  return beginningOf(`Vorfrist: ${title}`, 500)
}

/** So many calendar days before a moment, at the same local time (F2). */
export function daysBefore(due: string, days: number, timeZone: string): string {
  return sameLocalTimeDaysBefore(new Date(due), days, timeZone).toISOString()
}

/** Whether a Vorfrist moves with its Hauptfrist: not after its own due time was set by hand, nor when completed. */
export function follows(vorfrist: DeadlineRecord): vorfrist is DeadlineRecord & { follows_days: number } {
  return vorfrist.follows_days !== null && vorfrist.completed_at === null
}

/** What a Vorfrist takes over from its Hauptfrist: the new title and assignee, where it had the old ones. */
export function takenOver(
  vorfrist: DeadlineRecord,
  before: DeadlineRecord,
  { title, assigned_to }: { title: string; assigned_to: string },
): Partial<DeadlineRecord> {
  return {
    ...(title !== before.title &&
      vorfrist.title === vorfristTitle(before.title) && { title: vorfristTitle(title) }),
    ...(assigned_to !== before.assigned_to && vorfrist.assigned_to === before.assigned_to && { assigned_to }),
  }
}
