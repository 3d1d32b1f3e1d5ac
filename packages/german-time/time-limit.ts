/**
 * The moment from which a due time is over. A period lasts until the end of its last day (§ 188 Abs. 1 BGB), so a due
 * time of 23:59:59 local time is over only after that second. This function does not know the time zone, so it cannot
 * see whether it is 23:59 there. Therefore every due time in second 59 is over only after that second. Any other due
 * time is over as soon as it is reached.
 */
export function endOf(dueAt: string): Date {
  const due = new Date(dueAt)
  const isLastSecond = due.getUTCSeconds() === 59
  return isLastSecond ? new Date(due.getTime() - due.getUTCMilliseconds() + 1_000) : due
}

export function isOver(dueAt: string, now: Date): boolean {
  return endOf(dueAt) <= now
}

/** All due times before the returned moment are over at `now`, and no others. */
export function overBefore(now: Date): Date {
  const isLastSecond = now.getUTCSeconds() === 59
  return isLastSecond ? new Date(now.getTime() - now.getUTCMilliseconds()) : new Date(now.getTime() + 1)
}
