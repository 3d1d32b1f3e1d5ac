/**
 * The moment before which due times are over at `now`. A time limit of 23:59:59 ends with its last second and not before
 * it, and one of midnight ends at once (§ 188 Abs. 1 BGB).
 */
export function overBefore(now: Date): Date {
  const isLastSecond = now.getUTCSeconds() === 59
  return isLastSecond ? new Date(now.getTime() - now.getUTCMilliseconds()) : new Date(now.getTime() + 1)
}

/** Whether a due time is over at `now`. */
export function isOver(dueAt: string, now: Date): boolean {
  return Date.parse(dueAt) < overBefore(now).getTime()
}
