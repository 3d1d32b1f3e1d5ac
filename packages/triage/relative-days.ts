import {
  type CalendarDate,
  calendarDateOf,
  dayNumber,
  dayNumberOf,
  daysInMonth,
  weekdayOf,
} from '#german-time/calendar-date.ts'
import { wholeCharacters } from '#kernel/text.ts'
import { findDate, months } from './german-dates.ts'
import type { DeadlineHint } from './schema.ts'
import { asks, isAbsence, sentenceAround } from './sentences.ts'

/**
 * The sentences that ask for something by a day that only the day of the message tells: `heute noch`, `bis 12 Uhr`, `bis
 * Freitag`, `bis Ende November`. In a letter or a forwarded mail such words refer to another day.
 */
export function findRelativeDays(text: string, today: CalendarDate): DeadlineHint[] {
  return [...text.matchAll(relativeDays), ...text.matchAll(fristEnds)].flatMap(({ 0: words, index }) => {
    const [start, end] = sentenceAround(text, index)
    const sentence = wholeCharacters(text.slice(start, end)).replace(/\s+/g, ' ').trim()
    if (!asks.test(sentence) || officeHours.test(sentence) || isAbsence(sentence)) return []
    const isTime = /\d\s(?:uhr|h)$/i.test(words)
    // The time belongs to the date, which `findDeadlineHints` reads.
    if (isTime && findDate(sentence, today) !== undefined) return []
    const now = dayNumberOf(today)
    const last = lastDay((isTime ? sentence : words).toLowerCase(), now)
    const confidence = last - now < 2 ? 0.9 : 0.7
    return [{ text: sentence, date: calendarDateOf(last), period: null, confidence }]
  })
}

const weekdays = ['sonntag', 'montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag']

/** A weekday without its date, which `findDeadlineHints` reads: `bis Freitag, den 4.12.2026`. */
const weekday = `(?:${weekdays.join('|')}|sonnabend)(?!,?\\s(?:de[nm]\\s)?\\(?\\d{1,2}\\.)`

const time = '\\d{1,2}(?:[:.]\\d\\d)?\\s(?:Uhr|h)'

/** `Ende der Woche`, `Monatsende`, `Ende November` */
const periodEnd = `ende\\s(?:der|dieser)\\swoche|(?:monats|jahres)ende|ende\\s(?:des|dieses)\\s(?:monats|jahres)|ende\\s(?:${months.join('|')})`

/** `Montag bis`, `8 bis`, `Mo-Fr bis`, `ich bin morgen bis`, `es dauert bis`: the end of a span is no limit. */
const span = `tags?|woch|\\d|Uhr|(?<!\\p{L})(?:(?:Mo|Di|Mi|Do|Fr|Sa|So)\\.?|(?:bin|sind|dauer[tn])(?:\\s[^\\s,;:]{1,12}){0,3})`

/** `bis heute` alone means until now. */
const until = `(?<!(?:${span})\\s)(?:bis|sp(?:ä|ae)testens)\\s(?:(?:zum|am|sp(?:ä|ae)testens|n(?:ä|ae)chste[nr]?|kommende[nr]?|diese[nrms]?)\\s){0,2}(?:heute(?=,?\\s(?:(?:um\\s)?${time}|abend|mittag|nachmittag))|(?:(?:ü|ue)ber)?morgen|${weekday}|${periodEnd}|${time})`

const relativeDays = new RegExp(
  `(?<!\\p{L})(?:(?:heute\\snoch|noch\\sheute)(?!\\s(?:nicht|kein|immer))|${until})(?!\\p{L})`,
  'giu',
)

const day = `(?:heute|(?:(?:ü|ue)ber)?morgen|(?:am\\s)?${weekday})(?!\\p{L})`

const limit = '(?<!k(?:ü|ue)ndigungs)frist'

/** `Die Frist endet heute`, `Morgen läuft die Frist ab`, but not `Die Frist ist am Montag abgelaufen` */
const fristEnds = new RegExp(
  `(?<=${limit}(?:ablauf|ende)?\\s(?:l(?:ä|ae)uft|endet|ist)\\s)${day}(?!\\s(?:\\p{L}{2,12}\\s)?(?:ab|aus)gelaufen|\\s(?:\\p{L}{2,12}\\s)?verstrichen)|(?<!\\p{L})${day}(?=\\s(?:l(?:ä|ae)uft|endet)\\s(?:[^.!?]{1,40}\\s)?\\p{L}{0,20}${limit})`,
  'giu',
)

const officeHours =
  /(?:sprech|(?:ö|oe)ffnungs|gesch(?:ä|ae)fts|b(?:ü|ue)ro|telefon|service)zeit|ge(?:ö|oe)ffnet|erreich(?:bar|en)|besetzt/iu

/** The day that these words name, as a day number. A weekday is after `today`. */
function lastDay(words: string, today: number): number {
  const [year, month] = calendarDateOf(today).split('-').map(Number) as [number, number]
  const endOf = (inYear: number, ofMonth: number) => dayNumber(inYear, ofMonth, daysInMonth(inYear, ofMonth))
  const daysTo = (of: number) => (of - weekdayOf(today) + 7) % 7
  const named = weekdays.findIndex((name) => words.replace('sonnabend', 'samstag').includes(name))
  const ofMonth = months.findIndex((name) => words.endsWith(`ende ${name}`)) + 1
  if (/(?:ü|ue)bermorgen/.test(words)) return today + 2
  if (/(?<!guten )morgen/.test(words)) return today + 1
  if (named !== -1) return today + (daysTo(named) || 7)
  if (words.endsWith('woche')) return today + daysTo(weekdayOf(today) === 6 ? 0 : 5)
  if (words.includes('monats')) return endOf(year, month)
  if (words.includes('jahres')) return endOf(year, 12)
  return ofMonth === 0 ? today : endOf(ofMonth < month ? year + 1 : year, ofMonth)
}
