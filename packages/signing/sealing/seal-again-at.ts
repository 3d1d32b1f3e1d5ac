/** Longer than all attempts at a queue message: five attempts of five minutes, and seven minutes of pauses. */
const firstPauseMilliseconds = 45 * 60 * 1_000

export const maxSealPauseMilliseconds = 6 * 60 * 60 * 1_000

/**
 * The time when an unfinished completion is enqueued again. The first time is 45 minutes after it began. Then the
 * elapsed time doubles, but each pause is at most six hours (45 min, 90 min, 3 h, 6 h, 12 h, 18 h, …).
 */
export function sealAgainAt(sealingSince: string, now: Date): string {
  const elapsed = now.getTime() - Date.parse(sealingSince)
  const pause = Math.min(maxSealPauseMilliseconds, Math.max(firstPauseMilliseconds, elapsed))
  return new Date(now.getTime() + pause).toISOString()
}
