import { isDeepStrictEqual } from 'node:util'
import { germanDay } from '#german-time/calendar-date.ts'
import { withOffset } from '#german-time/local-time.ts'
import type { DeadlineRecord, DeadlineStep } from './ports.ts'
import type { FristType } from './type-schema.ts'

/** German names of the kinds of deadlines. */
export const fristNames: Record<FristType, string> = {
  vorfrist: 'Vorfrist',
  hauptfrist: 'Hauptfrist',
  nachfrist: 'Nachfrist',
}

/** `Hauptfrist „Berufung“`; for a Vorfrist without the prefix `Vorfrist: ` of its title. */
export function titled({ frist_type, title }: Pick<DeadlineRecord, 'frist_type' | 'title'>): string {
  return `${fristNames[frist_type]} „${bareTitle({ frist_type, title })}“`
}

/** The title without the kind of the deadline. */
export function bareTitle({ frist_type, title }: Pick<DeadlineRecord, 'frist_type' | 'title'>): string {
  return frist_type === 'vorfrist' ? title.replace(/^Vorfrist: /, '') : title
}

/** `16.04.2026, 23:59 Uhr` in local time. */
export function germanMoment(instant: string, timeZone: string): string {
  const local = withOffset(new Date(instant), timeZone)
  return `${germanDay(local.slice(0, 10))}, ${local.slice(11, 16)} Uhr`
}

/** The summary in the case's timeline for a new deadline and its Vorfrist. */
export function createdSummary(
  deadline: DeadlineRecord,
  vorfrist: DeadlineRecord | undefined,
  timeZone: string,
): string {
  const before = vorfrist ? `, mit Vorfrist zum ${germanMoment(vorfrist.due_at, timeZone)}` : ''
  return `${titled(deadline)} zum ${germanMoment(deadline.due_at, timeZone)} eingetragen${before}`
}

/** The summary in the case's timeline for a change. `assignee` is the name of a new assignee. */
export function changedSummary(
  [{ before, after }, along]: [DeadlineStep, ...DeadlineStep[]],
  assignee: string | undefined,
  timeZone: string,
): string {
  const was = before ?? after
  const moved = (from: string, to: string) =>
    `fällig ${germanMoment(from, timeZone)} → ${germanMoment(to, timeZone)}`
  const alongWith = (from: DeadlineRecord, to: DeadlineRecord) =>
    from.due_at === to.due_at
      ? 'Vorfrist mitgeändert'
      : `Vorfrist mitverlegt: ${moved(from.due_at, to.due_at)}`
  const parts = [
    ...(was.title === after.title ? [] : [`Bezeichnung „${was.title}“ → „${after.title}“`]),
    ...(was.due_at === after.due_at ? [] : [moved(was.due_at, after.due_at)]),
    ...(was.verified_by !== null && after.verified_by === null ? ['Prüfung aufgehoben'] : []),
    ...(was.due_at === after.due_at && !isDeepStrictEqual(was.basis, after.basis)
      ? [after.basis === null ? 'Berechnung entfernt' : 'neu berechnet']
      : []),
    ...(was.category === after.category ? [] : ['andere Fristart']),
    ...(assignee === undefined ? [] : [`zuständig ${assignee}`]),
    ...(along?.before ? [alongWith(along.before, along.after)] : []),
  ]
  return `${titled(was)} geändert: ${parts.join(', ')}`
}
