import {
  type CalendarDate,
  calendarDateOf,
  dayNumber,
  dayNumberOf,
  weekdayOf,
} from '#german-time/calendar-date.ts'
import { wholeCharacters } from '#kernel/text.ts'
import { acts, asksForAct } from './deadline-hints.ts'
import { findDate, months } from './german-dates.ts'
import type { DeadlineHint } from './schema.ts'
import {
  asks,
  bargains,
  courses,
  demands,
  isAbsence,
  obliges,
  sentenceAround,
  withUmlauts,
} from './sentences.ts'

/**
 * The sentences that ask for something by a day that depends on the day of the message: `heute noch`, `bis 12 Uhr`,
 * `bis Freitag`, `bis Mitte Dezember`, `bis Ende KW 50`. Also what is valid until then: `gilt bis Freitag`. In a letter
 * or a forwarded mail such words refer to another day. Days before `today` are over and are left out.
 */
export function findRelativeDays(text: string, today: CalendarDate): DeadlineHint[] {
  const now = dayNumberOf(today)
  return [relativeDays, fristEnds, barredFrom]
    .flatMap((days) => [...text.matchAll(days)])
    .map(({ 0: written, index }) => mentionAt(text, index, written))
    .filter(isLimit)
    .flatMap((mention) => {
      const last = mention.isTime ? dayOfTime(mention, today) : lastDay(mention.words, now)
      if (last < now) return []
      const confidence = mention.isAsked && last - now < 2 ? 0.9 : 0.7
      return [{ text: mention.sentence, date: calendarDateOf(last), period: null, confidence }]
    })
}

/** The words that name a day or a time, with what their sentence says about it. */
type Mention = ReturnType<typeof mentionAt>

function mentionAt(text: string, index: number, written: string) {
  const [start, end] = sentenceAround(text, index)
  const sentence = wholeCharacters(text.slice(start, end)).replace(/\s+/g, ' ').trim()
  const [before, from] = [text.slice(start, index), text.slice(index, end)]
  const clause = clauseOf(before, from)
  const words = withUmlauts(written)
  const isActDue = isDue(clause, acts.test(withUmlauts(sentence)))
  const isDemanded = /^(?:bis|sp)/.test(words) && demands(sentence)
  const isShort = clauseOf(before, '').trim().split(/\s+/).length < shortClause
  return {
    words,
    sentence,
    clause,
    /** The sentence up to the words, from them on, and after them. */
    before,
    from,
    after: from.slice(written.length),
    /** The part of the sentence that may ask for an act. */
    request: isShort ? sentence : clause,
    isActDue,
    isAsked: asks.test(sentence) || isActDue || isDemanded,
    isTime: /\d\s(?:uhr|h)$/.test(words),
  }
}

function isLimit(mention: Mention): boolean {
  const { words, sentence, clause, before, from, after, isAsked } = mention
  const isLasting = words.startsWith('bis') && lasts.test(clause)
  if (isLasting ? bargains.test(clause) : !isAsked) return false
  if (officeHours.test(clause) || isAbsence(before, from)) return false
  if (isFarewell(before, from, after)) return false
  const isToday = /^(?:heute noch|noch heute)$/.test(words)
  if (isToday && (isState(clause) || isAdvertised(clause, sentence))) return false
  return !isWhenOnly(mention)
}

/** Whether the words may also say when something is, and here say only that. */
function isWhenOnly({ words, sentence, clause, before, request, isActDue, isTime }: Mention): boolean {
  const isTimeOfDay = isTime && (words.startsWith('am ') || /\d\s$/.test(before))
  if (!isTimeOfDay && !/^(?:in|noch in|diese|noch diese) /.test(words)) return false
  if (!asksForAct(request) && !isActDue) return true
  return isTimeOfDay ? !isActDue && isEvent(before, clause) : appointments.test(sentence)
}

/** The day of a time: of its own words, by a date beside it, or by a day in its request; otherwise today. */
function dayOfTime({ words, before, after, request }: Mention, today: CalendarDate): number {
  const now = dayNumberOf(today)
  return (
    namedDay(words, now) ??
    datedDay(before, after, today) ??
    namedDay(withUmlauts(request.replace(otherDays, '')), now) ??
    now
  )
}

const weekdays = ['sonntag', 'montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag']

const next = '(?:n(?:ä|ae)chste|kommende)[nrs]?'

/** `KW 50`, `50. Kalenderwoche`, `KW 3/2027` */
const week = `(?:(?:KW|Kalenderwoche)\\s?(?:0?[1-9]|[1-4]\\d|5[0-3])|(?:0?[1-9]|[1-4]\\d|5[0-3])\\.\\s?(?:KW|Kalenderwoche))(?!\\d)(?:\\s?(?:/\\s?)?20\\d\\d(?!\\d))?`

const itsDate = `,?\\s(?:de[nm]\\s)?\\(?\\d{1,4}[./-](?!\\d\\d\\s(?:Uhr|h)|\\d{3}(?!\\d)|\\s?(?:KW|Kalenderw))`

/** Weekdays of an appointment, or with a date. */
const otherDays = new RegExp(
  `(?:termine?s?|verhandlung|besprechung)\\sam\\s\\p{L}{6,10}|(?:${weekdays.join('|')}|sonnabend)(?=${itsDate})`,
  'giu',
)

/** A shorter clause before a time belongs to the one before it: `am Freitag, spätestens jedoch bis 12 Uhr`. */
const shortClause = 3

/** A weekday without its date, which `findDeadlineHints` reads: `bis Freitag, den 4.12.2026`. */
const weekday = `(?:${weekdays.join('|')}|sonnabend)(?:morgen|vormittag|mittag|nachmittag|abend)?(?!${itsDate})(?:,?\\s\\(?(?:in\\s)?(?:der\\s)?(?:(?:${next}|dieser)\\sWoche|${week}))?`

const time = '\\d{1,2}(?:[:.]\\d\\d)?\\s(?:Uhr|h)'

/** `bis Fr.`, `bis Do, 12 Uhr` */
const shortWeekday = `(?:Mo|Di|Mi|Do|Fr|Sa|So)(?:\\.|(?=,|\\s(?:um\\s)?${time}))(?!${itsDate})`

const monthName = `(?:${months.join('|').replace('ä', '(?:ä|ae)')}|(?:${months.map((name) => name.slice(0, 3)).join('|')}|sept)\\.?)`

const part = '(?:anfang|mitte|ende)'

/** `Ende der Woche`, `15. des Monats`, `Monatsende`, `Ende 2027`, `Mitte Jan. 2027`, `Ende der KW 50` */
const periodEnd = `(?:wochen|monats)(?:mitte|ende)|jahresende(?:\\s20\\d\\d(?!\\d))?|(?:0?[1-9]|[12]\\d|3[01])\\.\\s(?:(?:(?:des|diese[ns]|laufenden|lfd\\.|${next})\\s){1,2}(?:folge)?monats|ds?\\.\\s?M(?:ts)?\\.)|${part}\\s(?:(?:de[rs]|diese[nrs]?|laufende[nrs]|${next})\\s){0,2}(?:woche|monats)|ende\\s(?:(?:des|diese[ns]|laufenden|${next})\\s){0,2}jahres(?:\\s20\\d\\d(?!\\d))?|ende\\s20\\d\\d(?!\\d)|(?:${part}/)?${part}\\s${monthName}(?:\\s20\\d\\d(?!\\d))?|(?:${part}\\s)?(?:der\\s)?${week}|${next}\\sWoche(?!\\s(?:${weekdays.join('|')}))`

const dateWithYear = `\\d\\.\\s?(?:\\d{1,2}\\.\\s?|\\p{L}{3,9}\\s)(?:20)?\\d\\d`

/** `am Freitag bis 12 Uhr`, and the end of `am 4.12.2026 bis 12 Uhr`, which may also say when something is. */
const timeOfDay = `(?:am\\s(?:${next}\\s)?${weekday}\\s|(?<=${dateWithYear}\\s))bis\\s(?:sp(?:ä|ae)testens\\s)?${time}`

/**
 * `Montag bis`, `8 bis`, `Mo-Fr bis`, `ich bin morgen bis`, `es dauert bis`: the end of a span is no limit, nor what
 * returns: `jeweils bis`. But `wir sind bis Freitag gebunden`.
 */
const span = `tags?|woch|\\d|Uhr|(?<!\\p{L})(?:(?:Mo|Di|Mi|Do|Fr|Sa|So)\\.?|jeweils|monatlich|(?:bin|sind|dauer[tn])(?![^.!?]{0,80}\\sgebunden(?!\\p{L}))(?:\\s[^\\s,;:]{1,12}){0,3})`

/** `bis heute` alone means until now. */
const until = `(?<!(?:${span})\\s)(?:bis|sp(?:ä|ae)testens)\\s(?:(?:zu[mr]|am|sp(?:ä|ae)testens|einschlie(?:ß|ss)lich|${next}|diese[nrms]?)\\s){0,2}(?:heute(?=,?\\s(?:(?:um\\s)?${time}|abend|nacht|mittag|nachmittag))|(?:(?:ü|ue)ber)?morgen|(?:${next}\\sWoche\\s)?${weekday}|${shortWeekday}|${periodEnd}|${time})`

/** `in KW 50`, `noch diese Woche` may also say when something is: the sentence must ask for an act, and no meeting. */
const within = `(?<!(?:erst|voraussichtlich|fr(?:ü|ue)hestens)\\s)in\\s(?:der\\s)?${week}|noch\\s(?:in\\sdieser|diese)\\sWoche|diese\\sWoche\\snoch`

const relativeDays = new RegExp(
  `(?<!\\p{L})(?:(?:heute\\snoch|noch\\sheute)(?!\\s(?:nicht|kein|immer))|${until}|${within}|${timeOfDay})(?!\\p{L})`,
  'giu',
)

const day = `(?:heute|(?:(?:ü|ue)ber)?morgen|(?:(?:am|diesen|${next})\\s){0,2}${weekday}|(?:(?:am|zum|mit)\\s)?(?:${periodEnd}))(?!\\p{L})`

const limit = '(?:(?<!k(?:ü|ue)ndigungs)frist|deadline)'

/** `Frist Dienstag!`, `EILT: Berufungsfrist morgen 12 Uhr`, but not `wegen der Frist am Dienstag.` */
const shortNotice = `(?<=(?:^|\\n|[.!?:,;–-]\\s)\\p{L}{0,30}${limit}\\s)${day}(?=(?:,?\\s(?:um\\s)?${time})?\\s{0,3}(?:[.!,;–-]|\\n|$))`

/**
 * `Die Frist endet heute`, `Frist: morgen`, `Morgen läuft die Frist ab`, `Heute Fristablauf`, but not `Die Frist ist am
 * Montag abgelaufen`
 */
const fristEnds = new RegExp(
  `${shortNotice}|(?<=${limit}(?:(?:ablauf|ende)?(?::|\\s(?:l(?:ä|ae)uft|endet|ist)(?:\\s(?:schon|bereits|leider|uns|mir)){0,2})|ablauf|ende)\\s)${day}(?!\\s(?:\\p{L}{2,12}\\s)?(?:ab|aus)gelaufen|\\s(?:\\p{L}{2,12}\\s)?verstrichen)|(?<!\\p{L})${day}(?=(?:\\s(?:um\\s)?${time})?\\s(?:l(?:ä|ae)uft|endet)\\s(?:[^.!?]{1,40}\\s)?\\p{L}{0,20}${limit}|:?\\s(?:ist\\s(?:der\\s|das\\s)?)?\\p{L}{0,20}${limit}(?:ablauf|ende))`,
  'giu',
)

const barredBy = `(?:mit\\sAblauf\\sdes\\sJahres(?:\\s20\\d\\d(?!\\d))?|(?:(?:am|zum)\\s)?(?:${periodEnd}))(?!\\p{L})`

/** `Die Ansprüche verjähren zum Jahresende`, `Mit Ablauf des Jahres 2026 verjährt der Anspruch` */
const barredFrom = new RegExp(
  `(?<=(?<!\\p{L})verj(?:ä|ae)hr(?:t|en|ung)(?::|\\s(?!beg[ai]nn|nicht\\s)[^,;.!?]{1,40})?\\s)${barredBy}|(?<!\\p{L})${barredBy}(?=\\sverj(?:ä|ae)hr(?:t|en)(?!\\p{L}|\\snicht))`,
  'giu',
)

const officeHours =
  /(?:sprech|(?:ö|oe)ffnungs|gesch(?:ä|ae)fts|b(?:ü|ue)ro|telefon|service)zeit|ge(?:ö|oe)ffnet|erreich(?:bar|en)|besetzt/iu

/** `Das Angebot gilt bis Freitag`, `Wir sind bis Freitag gebunden` */
const lasts =
  /(?<!\p{L})(?:gilt|gelten|\p{L}{0,20}angebot\s[^,]{0,60}g(?:ü|ue)ltig|befristet|gebunden)(?!\p{L})/iu

/** Whether something ends at that time: `die Besprechung am Freitag bis 12 Uhr`, `ich bin am Freitag bis 12 Uhr da` */
function isEvent(before: string, clause: string): boolean {
  return (
    appointed.test(before) ||
    /(?<!\p{L})(?:bin|ist|sind|dauer[tn]|findet|haben?|hat|war)(?!\p{L})/iu.test(clause)
  )
}

const appointed =
  /(?:termine?s?|treffens?|verhandlung|besprechung|sitzung)\s(?:am\s(?:\p{L}{6,10},?\s(?:de[nm]\s)?)?[\d.\s\p{L}]{5,20}\s)?$/iu

/**
 * Whether a clause says what must happen by a day without asking: `Der Antrag ist bis Freitag zu stellen`, `falls nicht
 * bis Freitag gezahlt wird`, `Wir geben Ihnen bis Freitag Zeit`.
 */
function isDue(clause: string, hasAct: boolean): boolean {
  return givesTime.test(clause) || (hasAct && (obliges(clause) || unless.test(clause)))
}

const givesTime =
  /(?<!\p{L})(?:geben|(?<![Ee]s\s)gibt|gew(?:ä|ae)hr(?:en|t))\s(?!.*\skeine\s).*(?<!\p{L})Zeit(?!\p{L})/su

const unless =
  /(?<!\p{L})(?:(?:wenn|falls|sofern|h(?:ö|oe)ren\swir|h(?:ö|oe)re\sich)\s.*(?<!\p{L})(?:nichts?|kein\p{L}{0,2})|(?:ohne|mangels)\s.*(?<!\p{L})(?:nachricht|antwort|r(?:ü|ue)ckmeldung|reaktion|zahlung))(?!\p{L})/isu

const appointments = /termin|treffen|besprech|verhandl|begehung|besichtig|(?<!\p{L})ob(?!\p{L})/iu

const clauseEnd = /[,;:.!?](?=\s)|\s(?:und|oder|aber|sondern|denn)\s/

/** The clause around a word. `before` and `from`: its sentence up to the word, and from it on. */
function clauseOf(before: string, from: string): string {
  return `${before.split(clauseEnd).at(-1)}${from.split(clauseEnd, 1)[0]}`
}

/** Whether a clause or line only takes leave until then: `Rückruf genügt, bis morgen dann!`, `Dann bis Freitag` */
function isFarewell(before: string, from: string, after: string): boolean {
  const left = `${before}${from.slice(0, 1)}`.split(clauseOrLineEnd).at(-1)?.slice(0, -1)
  const [right] = after.split(clauseOrLineEnd, 1)
  return farewell.test(`${left}…${right}`)
}

/** In lower case, the next line continues a clause. */
const clauseOrLineEnd = new RegExp(`${clauseEnd.source}|\\n(?=\\p{Lu})`, 'u')

/** The words around the day. In `Wir brauchen es diese Woche, also bis Freitag`, `also` explains a time limit. */
const farewell = /^\s*(?:Also|(?:[Aa]lso\s+)?[Dd]ann(?:\s+also)?)\s+…\W*$|^\s*…\s(?:also|dann)\W*$/

/**
 * Whether `heute` says how something still is, and not by when: `Sie hat noch heute Schmerzen und muss operiert werden`,
 * but not `Das ist heute noch zu erledigen`.
 */
function isState(clause: string): boolean {
  return states.test(clause) && !asks.test(clause) && !isToBeDone.test(clause)
}

const states =
  /(?<!\p{L})(?:h(?:at|abe|aben|atte|atten)|ist|sind|war|waren|bin|leide[tn]?|klag(?:t|e|en)|sp(?:ü|ue)r(?:t|e|en)|schmerz(?:t|en)|besteh(?:t|en)|dauer(?:t|n)|fehl(?:t|en)|lieg(?:t|en)|wohn(?:t|e|en))(?!\p{L})/iu

/** `zu tun`, `anzufordern`, and what happens today: `Ich habe heute noch eine Vernehmung`. */
const isToBeDone =
  /(?<!\p{L})zu\s\p{L}{2,30}n(?!\p{L})|\p{L}zu\p{L}{2,30}n(?!\p{L})|(?<!\p{L})(?:Gelegenheit|Zeit|f(?:ä|ae)llig|\p{L}{0,20}(?:termin|vernehmung|verhandlung|anh(?:ö|oe)rung))(?!\p{L})/iu

/** `Bitte melden Sie sich noch heute zum Seminar an`, but not `Noch heute Klage gegen die Seminaranmeldung einreichen` */
function isAdvertised(clause: string, sentence: string): boolean {
  return courses.test(sentence) && enrols.test(clause.trim())
}

const enrols =
  /^(?:heute\snoch|noch\sheute)\s(?:anmelden|buchen)|(?<!\p{L})melden\s[^,]{0,60}(?<!\p{L})sich\s[^,]{0,60}\san\W{0,3}$|(?<!\p{L})(?:sich|zu[mr]\s\p{L}{0,30}(?:seminar|webinar|fortbildung))\s[^,]{0,60}anmelden/iu

/**
 * The day of a time by its date: `am 4.12. spätestens 12 Uhr`, `bis 12 Uhr am 4.12.2026`; of several dates the nearest. A
 * date in another clause, the date of a letter or of an appointment, and a date before `today` do not count. `before` and
 * `after`: the sentence without the time.
 */
function datedDay(before: string, after: string, today: CalendarDate): number | undefined {
  const found = findDate(before, today)
  if (found === undefined) {
    const next = findDate(after, today)
    return next !== undefined && isBesideTime.test(after.slice(0, next.index))
      ? dayNumberOf(next.date)
      : undefined
  }
  const between = before.slice(found.end)
  const nearer = datedDay(between, after, today)
  if (nearer !== undefined) return nearer
  const [, ...clauses] = between.split(clauseEnd)
  const isOfTime =
    found.date >= today &&
    !isOfOther.test(before.slice(0, found.index)) &&
    (clauses.at(-1)?.trim().split(/\s+/).length ?? 0) < shortClause
  return isOfTime ? dayNumberOf(found.date) : undefined
}

/** `am kommenden Freitag, den` between a time and its date. */
const isBesideTime =
  /^,?\s(?:(?:am|des)\s)?(?:(?:kommenden|n(?:ä|ae)chsten)\s)?(?:\p{L}{2,10}[.,]{0,2}\s)?(?:de[nm]\s)?\(?$/iu

/** The words before the date of a letter or an appointment. */
const isOfOther =
  /(?:(?<!\p{L})(?:vom|v\.)|(?:termine?s?|verhandlung|besprechung)\sam(?:\s\p{L}{6,10},?(?:\sde[nm])?)?)\s$/iu

/** The day that these words name, as a day number; `today` for `heute` and for a time of the day. */
function lastDay(written: string, today: number): number {
  const words = written.replace(/(?<= )(?:mo|di|mi|do|fr|sa|so)\.?$/, fullName)
  return namedDay(words, today) ?? endOfWeek(words, today) ?? endOfMonth(words, today) ?? today
}

function fullName(short: string): string {
  return weekdays.find((name) => name.startsWith(short.slice(0, 2))) ?? short
}

/** Tomorrow, or a weekday after `today`. */
function namedDay(words: string, today: number): number | undefined {
  const named = weekdays.findIndex((name) => words.replace('sonnabend', 'samstag').includes(name))
  if (words.includes('übermorgen')) return today + 2
  if (/(?<!guten |heute |gestern |tag ?|woch ?|abend )morgen/.test(words)) return today + 1
  if (named === -1) return undefined
  const monday = namedMonday(words, today)
  return monday === undefined ? today + ((named - weekdayOf(today) + 7) % 7 || 7) : monday + ((named + 6) % 7)
}

/** `nächste Woche`, but not `nächstes Wochenende`, which may be in this week. */
const nextWeek = /(?:nächste|kommende)[nr]? woche(?!nende)/

/** The Monday of the week that these words name. On Sundays this week is the next one. */
function namedMonday(words: string, today: number): number | undefined {
  const [, before, after] =
    /(\d{1,2})\. ?(?:kw|kalenderwoche)|(?:kw|kalenderwoche) ?(\d{1,2})/.exec(words) ?? []
  const number = before ?? after
  if (number !== undefined) return mondayOfWeek(Number(number), yearIn(words), today)
  if (words.includes('dieser woche')) return thisMonday(today)
  return nextWeek.test(words) ? mondayOf(today) + 7 : undefined
}

function thisMonday(today: number): number {
  return mondayOf(weekdayOf(today) === 0 ? today + 1 : today)
}

/**
 * A week begins on its Monday and ends on its Friday; at the weekend, on its Sunday. By the beginning or the middle of a
 * week that is over, the next week is meant.
 */
function endOfWeek(words: string, today: number): number | undefined {
  const named = namedMonday(words, today)
  if (named === undefined && !words.includes('woche')) return undefined
  const monday = named ?? thisMonday(today)
  const part = words.includes('anfang') ? 0 : words.includes('mitte') ? 2 : undefined
  if (part !== undefined)
    return monday + part < today && named === undefined ? monday + 7 + part : monday + part
  return monday + 4 < today ? monday + 6 : monday + 4
}

function mondayOf(day: number): number {
  return day - ((weekdayOf(day) + 6) % 7)
}

/** The Monday of a calendar week (ISO 8601). */
function mondayOfWeek(week: number, inYear: number | undefined, today: number): number {
  // The first week has 4 January, and the Thursday of a week is in its year.
  const inWeekOf = (year: number) => mondayOf(dayNumber(year, 1, 4)) + (week - 1) * 7
  const thisYear = yearOf(mondayOf(today) + 3)
  return inWeekOf(inYear ?? nextYear(thisYear, today, (year) => inWeekOf(year) + 6))
}

/**
 * The year of the next such week or month. If one was over less than 60 days ago, that one is meant: in November, `Sie
 * sollten bis Mitte Oktober zahlen`.
 */
function nextYear(thisYear: number, today: number, dayIn: (year: number) => number): number {
  return [thisYear - 1, thisYear].find((year) => dayIn(year) > today - 60) ?? thisYear + 1
}

function yearOf(day: number): number {
  return Number(calendarDateOf(day).slice(0, 4))
}

function yearIn(words: string): number | undefined {
  const written = /20\d\d$/.exec(words)?.[0]
  return written === undefined ? undefined : Number(written)
}

/** Anfang, Mitte and Ende of a month are its first, 15th and last day (§ 192 BGB). */
function endOfMonth(words: string, today: number): number | undefined {
  const [thisYear, thisMonth] = calendarDateOf(today).split('-').map(Number) as [number, number]
  const isNext = /(?:nächste|kommende)[ns] (?:monats|jahres)(?!ende)|folgemonats/.test(words)
  const [, day = '31'] = /(\d{1,2})\. /.exec(words) ?? []
  const dayIn = (year: number, month: number) =>
    words.includes('anfang')
      ? dayNumber(year, month, 1)
      : words.includes('mitte')
        ? dayNumber(year, month, 15)
        : Math.min(dayNumber(year, month, Number(day)), dayNumber(year, month + 1, 1) - 1)
  const year = yearIn(words)
  if (/monats|ds?\. ?m(?:ts)?\./.test(words)) return dayIn(thisYear, isNext ? thisMonth + 1 : thisMonth)
  if (words.includes('jahres')) return dayIn(year ?? (isNext ? thisYear + 1 : thisYear), 12)
  const month = months.findIndex((name) => words.includes(name.slice(0, 3))) + 1
  if (month === 0) return year === undefined ? undefined : dayIn(year, 12)
  return dayIn(year ?? nextYear(thisYear, today, (of) => dayIn(of, month)), month)
}
