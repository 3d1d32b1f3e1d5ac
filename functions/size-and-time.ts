import { withOffset } from '#german-time/local-time.ts'

type Language = 'de' | 'en'

/** The size of a file as people read it: `1 kB`, `4,5 MB`. */
export function sizeText(bytes: number, language: Language): string {
  const kilobytes = Math.ceil(bytes / 1_000)
  if (kilobytes < 1_000) return `${kilobytes} kB`
  const megabytes = String(Math.round(bytes / 100_000) / 10)
  return `${language === 'de' ? megabytes.replace('.', ',') : megabytes} MB`
}

/**
 * A time as people read it, in this time zone: `22. November 2026 um 13:05 Uhr`, `22 November 2026 at 13:05`.
 * `Intl.DateTimeFormat` gives the same result (a test compares them), but its first use takes 25 milliseconds, a tenth
 * of a cold start.
 */
export function timeText(at: string, language: Language, timeZone: string): string {
  const local = withOffset(new Date(at), timeZone)
  const [year, time] = [local.slice(0, 4), local.slice(11, 16)]
  const day = Number(local.slice(8, 10))
  const month = months[language][Number(local.slice(5, 7)) - 1]
  return language === 'de' ? `${day}. ${month} ${year} um ${time} Uhr` : `${day} ${month} ${year} at ${time}`
}

const months = {
  de: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
  en: 'January February March April May June July August September October November December'.split(' '),
} as const satisfies Record<Language, readonly string[]>
