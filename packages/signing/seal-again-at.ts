/** Longer than a message is tried: five attempts of five minutes each, and their pauses of seven minutes together. */
const firstPauseMilliseconds = 45 * 60 * 1_000

export const maxSealPauseMilliseconds = 6 * 60 * 60 * 1_000

/**
 * When a completion that nobody finished is put back on its queue: 45 minutes after it began, then each time after as
 * long as it has lasted by then, at most six hours (45 min, 90 min, 3 h, 6 h, 12 h, 18 h, …).
 */
export function sealAgainAt(sealingSince: string, now: Date): string {
  const lasted = now.getTime() - Date.parse(sealingSince)
  const pause = Math.min(maxSealPauseMilliseconds, Math.max(firstPauseMilliseconds, lasted))
  return new Date(now.getTime() + pause).toISOString()
}
