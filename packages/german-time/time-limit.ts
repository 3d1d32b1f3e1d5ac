/**
 * When a due time is over. A time limit of 23:59:59 ends with its last second and not before it, and one of midnight ends
 * at once (§ 188 Abs. 1 BGB).
 */
export function endOf(dueAt: string): Date {
  const due = new Date(dueAt)
  const isLastSecond = due.getUTCSeconds() === 59
  return isLastSecond ? new Date(due.getTime() - due.getUTCMilliseconds() + 1_000) : due
}

export function isOver(dueAt: string, now: Date): boolean {
  return endOf(dueAt) <= now
}

/** The moment before which the due times are that are over at `now`. */
export function overBefore(now: Date): Date {
  const isLastSecond = now.getUTCSeconds() === 59
  return isLastSecond ? new Date(now.getTime() - now.getUTCMilliseconds()) : new Date(now.getTime() + 1)
}
