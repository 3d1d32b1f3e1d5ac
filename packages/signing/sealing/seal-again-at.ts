/** Longer than all attempts of a message: five of five minutes each, with pauses of seven minutes in total. */
const firstPauseMilliseconds = 45 * 60 * 1_000

export const maxSealPauseMilliseconds = 6 * 60 * 60 * 1_000

/**
 * The time when an unfinished completion is enqueued again. The first time is 45 minutes after it began. Then the
 * elapsed time doubles, but each pause is at most six hours (45 min, 90 min, 3 h, 6 h, 12 h, 18 h, …).
 */
export function sealAgainAt(sealingSince: string, now: Date): string {
  const lasted = now.getTime() - Date.parse(sealingSince)
  const pause = Math.min(maxSealPauseMilliseconds, Math.max(firstPauseMilliseconds, lasted))
  return new Date(now.getTime() + pause).toISOString()
}
