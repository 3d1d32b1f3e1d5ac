/** A duration of ISO 8601, with a sign: `P90D`, `PT30M`, `P1Y2M`, `-P1D`. */
export const durationForm =
  /^(-?)P(?=\d|T\d)(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/

/** The moment after a duration of `durationForm`: years and months of the calendar (in UTC), then days of 24 hours. */
export function afterDuration(from: Date, duration: string): Date {
  const [, sign, ...given] = durationForm.exec(duration) ?? []
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = given.map(
    (text) => (sign === '-' ? -1 : 1) * Number(text ?? 0),
  )
  const to = new Date(from)
  to.setUTCMonth(from.getUTCMonth() + 12 * years + months)
  // If the month does not have the day, take its last day.
  if (to.getUTCDate() !== from.getUTCDate()) to.setUTCDate(0)
  const elapsed = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
  return new Date(to.getTime() + elapsed * 1_000)
}
