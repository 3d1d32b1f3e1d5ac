import { type CalendarDate, calendarDateOf, dayNumberOf } from '#german-time/calendar-date.ts'
import { once } from '#kernel/once.ts'
import { wholeCharacters } from '#kernel/text.ts'
import { findDate } from './german-dates.ts'
import { limits } from './limits.ts'
import type { DeadlineHint } from './schema.ts'
import { asks, demands, isAbsence, sentenceAround, withUmlauts } from './sentences.ts'

/**
 * The sentences of a text that name a time limit, each with its last day or its period. Days before `today` are over and
 * are left out. A time limit may continue on the next printed line, but not in the next paragraph. A hint never makes a
 * deadline (I5).
 */
export function findDeadlineHints(printed: string, today: CalendarDate): DeadlineHint[] {
  const text = withWholeWords(printed)
  const hints: DeadlineHint[] = []
  const hasNotice = once(() => withdrawalNotice.test(text))
  let readTo = 0
  for (const trigger of text.matchAll(triggers)) {
    if (trigger.index < readTo) continue
    const [start, end] = sentenceAround(text, trigger.index)
    const isClosed = /[.!?]/.test(text[end - 1] ?? '')
    const rest = text.slice(trigger.index, isClosed ? end : Math.max(end, trigger.index + reach))
    const word = trigger[0].toLowerCase()
    if (noLimit.test(`${lettersBefore(text, trigger.index)}${trigger[0]}`) || isOver.test(rest)) continue
    const isUntil = untils.test(word)
    const found = isUntil
      ? lastDay(rest.slice(0, reach), today)
      : (namedPeriod(trigger) ?? periodOrDate(rest, today))
    if (found === undefined) continue
    const { date, period } = found
    readTo = trigger.index + found.end
    const sentenceEnd = Math.max(end, readTo)
    const sentence = wholeCharacters(text.slice(start, sentenceEnd)).replace(/\s+/g, ' ').trim()
    if (isUntil && isAbsence(text.slice(start, trigger.index), text.slice(trigger.index, sentenceEnd)))
      continue
    if (weakTriggers.test(word) && !asksForAct(sentence)) continue
    const last = date !== null && /^vor\sdem/.test(word) ? calendarDateOf(dayNumberOf(date) - 1) : date
    const isOfNotice = period !== null && withdrawals.test(sentence) && hasNotice()
    const isSpan =
      spanBefore.test(text.slice(start, trigger.index)) && !spanIsLimit.test(withUmlauts(sentence))
    const confidence = isOfNotice || isSpan ? 0.4 : confidenceOf(sentence, word, period)
    hints.push({ text: sentence, date: last, period, confidence })
  }
  return surestOf(hints)
}

/**
 * Each day and each period once, up to `limits.hints`, in the order of their first mentions. A letter may mention a period
 * several times before it names its own: the surest mention counts.
 */
export function surestOf(hints: DeadlineHint[]): DeadlineHint[] {
  const surest = new Map<string, DeadlineHint>()
  for (const hint of hints) {
    const key = hint.date ?? `${hint.period?.count} ${hint.period?.unit}`
    if (hint.confidence > (surest.get(key)?.confidence ?? 0)) surest.set(key, hint)
  }
  return [...surest.values()].slice(0, limits.hints)
}

/**
 * Joins words that are broken at the end of a printed line, but not `Klage-` before `und Begründungsfrist`. Also joins
 * the letters of words that are written with blanks (`z w e i  W o c h e n`).
 */
function withWholeWords(printed: string): string {
  return printed
    .replace(/\u00ad\n?|(?<=\p{L})-\n(?!(?:und|oder|bzw|sowie)(?!\p{L}))(?=\p{Ll})/gu, '')
    .replace(/(?<![\p{L}\p{N}])\p{L}(?: \p{L}){2,}(?![\p{L}\p{N}])/gu, (letters) =>
      letters.replace(/(?<!\p{Ll}) | (?!\p{Lu})/gu, ''),
    )
}

/** `end`: the number of characters after the trigger's start up to which the time limit is read. */
type Found = Pick<DeadlineHint, 'date' | 'period'> & { end: number }

const counts: Record<string, number> = {
  ein: 1,
  einem: 1,
  einer: 1,
  eines: 1,
  einen: 1,
  eine: 1,
  zwei: 2,
  zweier: 2,
  drei: 3,
  dreier: 3,
  vier: 4,
  fünf: 5,
  fuenf: 5,
  sechs: 6,
  sieben: 7,
  acht: 8,
  neun: 9,
  zehn: 10,
  elf: 11,
  zwölf: 12,
  zwoelf: 12,
  vierzehn: 14,
  fünfzehn: 15,
  fuenfzehn: 15,
  zwanzig: 20,
  vierundzwanzig: 24,
  dreißig: 30,
  dreissig: 30,
  achtundvierzig: 48,
  zweiundsiebzig: 72,
}

const numeral = ['\\d{1,3}', ...Object.keys(counts).toSorted((one, other) => other.length - one.length)].join(
  '|',
)

const periods = new RegExp(
  `(?<![\\p{L}\\d.,])(${numeral})(?:[ -]{1,2}|\\s)(?:\\((?:in\\sWorten:?\\s)?(?:\\d{1,3}|\\p{L}{3,12})\\)\\s)?(?:(?:weiteren?|vollen?)\\s)?(?:Kalender|Werk|Arbeits)?(Stunde|Std(?=\\.)|Tag|Woche|Wo(?=\\.)|Monat|Jahr)(?:e|en|es|s|n)?(?!\\p{L})`,
  'iu',
)

/** `Frist zur Stellungnahme auf die Klageerwiderung der Beklagten vom 2.11.2026 von drei Wochen`. */
const farPeriods = new RegExp(`(?<!Ablauf)\\s(?:von|betr(?:ä|ae)gt)\\s${periods.source}`, 'iu')

/** `Zweiwochenfrist`, `14-tägige Stellungnahmefrist`. */
const ownPeriod = `(?<![\\p{L}\\d.,])(?:(?<count>${numeral})[ -]?)?(?<unit>Stunde|T(?:a|ä|ae)g|W(?:o|ö|oe)ch|Monat|J(?:a|ä|ae)hr)(?:e?[sn]?[ -]?|ige[rsnm]?\\s(?:\\p{L}{2,20}\\s)?\\p{L}{0,30})frist(?!\\p{L})`

/**
 * `Sie haben einen Monat Zeit`, `Einspruch: zwei Wochen ab Zustellung`, but no request for more time: `Bitte geben Sie
 * mir noch zwei Wochen Zeit.`
 */
const timeLeft = `(?<![\\p{L}\\d.,]|Sie\\s(?:mir|uns)\\s(?:(?:bitte|doch|noch)\\s){0,3})(?:${numeral})\\s(?:Stunden?|Tage?|Wochen?|Monate?)\\s(?:Zeit|ab\\s(?:de[mr]\\s)?(?:Zustellung|Zugang|Bekanntgabe|Verk(?:ü|ue)ndung)(?!\\s\\p{L}{3,5}\\s(?:Ware|Zahlung|Lieferung|Bestellung)))(?!\\p{L})`

/** `frist` also matches the end of a word, such as `Stellungnahmefrist`. */
const words =
  /(?:frist(?:en|ablauf|ende|setzung)?|schriftsatzschluss|deadline)(?!\p{L})|(?<!\p{L})(?:(?<!mein\s)letzter\stag|binnen|innerhalb|innert|sp(?:ä|ae)testens|l(?:ä|ae)ngstens|nicht\ssp(?:ä|ae)ter\sals|verj(?:ä|ae)hr(?:t|ung|en))(?!\p{L})/iu

/** Betreibensaufforderung: § 92 Abs. 2 VwGO, § 81 AsylG, § 102 Abs. 2 SGG. No report: `hat es länger als ein Jahr nicht betrieben`. */
const withoutAction =
  /(?<!\p{L})(?<!(?<!\p{L})(?:hat|haben|wurde|seit)\s[^.!?]{0,60})l(?:ä|ae)nger\sals(?=\s[^.!?]{3,40}\snicht\sbetr(?:ei|ie)b)/iu

/** `Die Frist von zwei Wochen endet am 3.12.2026.`, but not the employment after a Kündigungsfrist. */
const ends =
  /endet(?<=(?<!k(?:ü|ue)ndigungs)frist(?!\p{L})(?:[^.!?]|\.(?!\s+\p{L})){0,80}\sendet)(?=\s(?:am|mit\sablauf\sdes)\s)/iu

/** `Am Freitag, 4.12.2026, läuft die Frist ab`, `Am 15.12.2026 ist Fristablauf`, `die am 15.12. ablaufende Frist` */
const endsOnDay =
  /(?<!\p{L})(?:am|ablauf\sdes)(?=\s(?:\p{L}{6,10},?\s(?:de[nm]\s)?)?\d[\d./\s\p{L}-]{3,22}?,?\s(?:(?:l(?:ä|ae)uft|endet)\s[^.!?]{0,40}frist(?<!k(?:ü|ue)ndigungsfrist)|ablaufende[nr]?\s\p{L}{0,30}frist(?<!k(?:ü|ue)ndigungsfrist)(?![^!?]{0,80}verl(?:ä|ae)ngert(?!\p{L}))|ist\s(?:der\s)?\p{L}{0,20}frist(?:ablauf|ende)))/iu

/**
 * `Für den Eingang haben wir uns den 15.12.2026 vorgemerkt`, `Wir haben uns den 15.12.2026 als Frist notiert`, but no
 * appointment: `Ich habe mir den 15.12.2026 notiert.`
 */
const notedDay =
  /den(?<=(?:antwort|ausgleich|eingang|erledigung|frist|nachricht|r(?:ü|ue)ckmeldung|stellungnahme|zahlung)[^.!?]{0,60}\sden)(?=\s\d[\d./\s\p{L}-]{3,22}?\s(?:\p{L}{2,12}\s){0,5}(?:vorgemerkt|notiert))|den(?=\s\d[\d./\s\p{L}-]{3,22}?\s(?:als|f(?:ü|ue)r)\s[^.!?]{0,40}(?:antwort|eingang|frist|stellungnahme|zahlung)\s(?:vorgemerkt|notiert))/iu

/** `Zeitpunkt, bis zu dem Schriftsätze eingereicht werden können, ist der 22.12.2026` (§ 128 Abs. 2 ZPO) */
const setDay =
  /de[rn](?=\s\d)(?<=zeitpunkt[^!?]{0,80}\s(?:schrifts(?:ä|ae)tze|schluss(?:es)?\sder\sm(?:ü|ue)ndlichen)\s(?:(?!termin|verk(?:ü|ue)nd)[^!?]){0,80}\sde[rn])/iu

/** `bis zum 15.12.2026`, `bis Fr., 11.12.2026`. `von bis` is the head of a column. */
const until =
  /(?<!\p{L})(?<!(?<!\p{L})von[ |/–-]{1,3})bis(?=:?\s{1,2}(?:zum|zu\sdem|sp(?:ä|ae)testens|einschlie(?:ß|ss)lich|einschl|in[ck]l|l(?:ä|ae)ngstens|(?:mit\s)?ablauf|(?:n(?:ä|ae)chsten|kommenden)\s|(?:heute|morgen),?\s\(?\d|\p{L}{0,10}tag,?|mittwoch|sonnabend|(?:mo|di|mi|do|fr|sa|so)(?:[.,]|\s\d)|\d))/iu

/** `vor dem 14.12.`, `vor Ablauf des 14.12.`, but not `zwei Wochen vor dem 14.12.` */
const before =
  /(?<!\p{L})(?<!(?:tagen?|tage?s?|wochen?|monate?[ns]?|stunden?)\s)vor\s(?:dem|ablauf\sdes)(?=\s\d)/iu

/** `in zwei Wochen`, `in den nächsten zehn Tagen` */
const within = `(?<!\\p{L})in(?=\\s(?:den\\s(?:n(?:ä|ae)chsten|kommenden)\\s)?(?:${numeral})\\s(?:Stunden|Tagen|Wochen|Monaten)(?!\\p{L}))`

/** `eine Frist von zwei Wochen … und von weiteren vier Wochen` */
const longer = `weiter(?:en?|er)(?<=frist\\s[^.!?]{1,120}\\sweiter(?:en?|er))(?=\\s(?:${numeral})\\s(?:Tage|Woche|Monat))`

/** The words that may begin a time limit, with the text that must follow them. */
const triggers = new RegExp(
  `${ownPeriod}|${timeLeft}|${words.source}|${withoutAction.source}|${ends.source}|${endsOnDay.source}|${notedDay.source}|${setDay.source}|${longer}|${until.source}|${before.source}|${within}`,
  'giu',
)

/** `für die Zeit vom 1.12.2026 bis …` says when something is. */
const spanBefore =
  /(?<!\p{L})(?:vom|ab|seit)(?:\sdem)?\s\d{1,2}\.\s?(?:\d{1,2}\.|\p{L}{3,9})(?:\s?(?:20)?\d\d)?,?\s$/iu

/** With one of these words, the end of such a span is a time limit. */
const spanIsLimit = /(?<!be)frist|stellungnahme|einwend|äu(?:ß|ss)er/

/** The triggers after which a date is the last day. */
const untils = /^(?:bis|sp|l(?:ä|ae)ngst|nicht|verj|am|ablauf|de[nr]|endet|letzt|vor)/

/** Triggers that may also only say when something is: the sentence must ask for an act. */
const weakTriggers = /^(?:vor\s|in$)/

/** Periods in which nobody has to act for the case. */
const noLimit = /(?:k(?:ü|ue)ndigungs|aufbewahrungs|speicher|l(?:ö|oe)sch(?:ungs)?|ladungs|einlassungs)frist/i

/** A period that is over. */
const isOver = /^innerhalb\s(?:de[rs]\s)?(?:letzten|vergangenen)/i

/** The letters directly before this position: the beginning of `Kündigungsfrist`. */
function lettersBefore(text: string, at: number): string {
  return /\p{L}{0,30}$/u.exec(text.slice(Math.max(0, at - 30), at))?.[0] ?? ''
}

/** The number of characters after a trigger in which its date or period must stand. */
const reach = 60

/**
 * The last day, as in `bis zum 15.12.2026`, or directly a period, as in `spätestens zwei Wochen nach Zustellung`. In
 * `spätestens zwei Wochen vor dem Termin am 15.12.2026` the date is not the last day.
 */
function lastDay(rest: string, today: CalendarDate): Found | undefined {
  if (/^bis\szum\sablauf\s(?:von|eine[rs])\s/i.test(rest)) return periodIn(rest)
  const period = periodIn(rest.slice(0, reach / 2))
  if (period !== undefined && /^\s(?:vor|nach|ab|seit)\s/.test(rest.slice(period.end))) return period
  return dateAfter(rest, today) ?? (/^(?:sp|l|nicht)/i.test(rest) ? period : undefined)
}

/** The date must follow soon: `bis zum 15.12.2026`, `bis spätestens Freitag, den 4. Dezember 2026`. */
function dateAfter(rest: string, today: CalendarDate): Found | undefined {
  const found = findDate(rest, today)
  return found === undefined ||
    found.index > 42 ||
    found.date < today ||
    /beg[ai]nnt?\s/.test(rest.slice(0, found.index))
    ? undefined
    : { date: found.date, period: null, end: found.end }
}

/** The period or the date, whichever stands first. */
function periodOrDate(sentence: string, today: CalendarDate): Found | undefined {
  const rest = sentence.slice(0, reach)
  const [period, date] = [periodIn(rest), dateOf(rest, today)]
  if (date === undefined && period === undefined && /^frist/i.test(rest))
    return periodIn(sentence, farPeriods)
  return date === undefined || (period !== undefined && period.end < date.end) ? period : date
}

function dateOf(rest: string, today: CalendarDate): Found | undefined {
  const until =
    /\b(?:bis|am|zum|mit\sdem|auf\s(?:\p{L}{4,9}(?:tag|woch),?\s)?den|ist\sder|Ablauf\sdes)\b/u.exec(rest)
  // `Die Frist 1.12.2026 wird bis zum 22.12.2026 verlängert`: the last day is the one after `bis`.
  const named = until?.[0] === 'bis' ? undefined : dateOfName(rest, today)
  if (named !== undefined || until === null) return named
  const found = dateAfter(rest.slice(until.index), today)
  return found === undefined || /beg[ai]nnt?\s/.test(rest.slice(0, until.index))
    ? undefined
    : { ...found, end: until.index + found.end }
}

/** `Frist: 15.12.2026`, `Frist (15.12.2026)`, `Frist zur Stellungnahme: Montag, 15.12.2026`: the date comes next. */
function dateOfName(rest: string, today: CalendarDate): Found | undefined {
  const name =
    /^(?:frist\p{L}{0,6}|schriftsatzschluss|deadline)(?:\s?[:,(–—-]?|[^.!?:\n]{1,40}(?::|\s[–—-]))\s{0,3}(?:(?:\p{L}{2,10}\.?,|(?:Mo|Di|Mi|Do|Fr|Sa|So)\.?) ?(?:den )?)?(?=\d)/iu.exec(
      rest,
    )?.[0]
  const found = name === undefined ? undefined : findDate(rest.slice(name.length), today)
  return name !== undefined && found?.index === 0 && found.date >= today
    ? { date: found.date, period: null, end: name.length + found.end }
    : undefined
}

/** `binnen zwei Wochen`, `von 14 Tagen`. */
function periodIn(rest: string, written = periods): Found | undefined {
  const match = written.exec(rest)
  if (match === null) return undefined
  const [whole, count = '', unit = ''] = match
  const number = numberOf(count)
  // A row may end with a number, and the next one begin with `Tag`.
  if (number === 0 || (number !== 1 && whole.includes('\n') && whole.endsWith(unit))) return undefined
  return { date: null, period: periodOf(number, unit), end: match.index + whole.length }
}

/** A word that is a period itself: `Zweiwochenfrist`, `Monatsfrist`, `dreiwöchige Frist`. */
function namedPeriod({ 0: whole, groups }: RegExpExecArray): Found | undefined {
  const { count = 'ein', unit } = groups ?? {}
  const number = numberOf(count)
  return unit === undefined || number === 0
    ? undefined
    : { date: null, period: periodOf(number, unit), end: whole.length }
}

function numberOf(count: string): number {
  return /^\d/.test(count) ? Number(count) : (counts[count.toLowerCase()] ?? 0)
}

/** Hours count as whole days, at least one: the sentence itself shows the hours. */
function periodOf(count: number, unit: string): NonNullable<DeadlineHint['period']> {
  const first = unit.slice(0, 1).toLowerCase()
  if (first === 's') return { unit: 'day', count: Math.max(1, Math.floor(count / 24)) }
  return { unit: first === 't' ? 'day' : first === 'w' ? 'week' : first === 'm' ? 'month' : 'year', count }
}

/** Words with which somebody is asked to act, or an act is bound to a time. */
export const acts =
  /(?<!be)frist|deadline|stellungnahme|(?<!zu|be)stellung|äu(?:ß|ss)er|gelegenheit|antwort|erwider|begründ|einspruch|widerspr[eu]ch|klage|berufung|beschwerde|revision|rechtsmittel|rechtsbehelf|einwend|widerruf|zahl|überweis|räum|ab(?:zu)?hol|anmeld|anzumelden|vor(?:zu)?leg|vorlage|(?:ein|nach)(?:ge|zu)?reich|mitteil|mitzuteilen|gebunden|angebot|annahm|verlänger|bitte|erbitten|auskunft|einzuzahlen|ratifi|gilt|fordern|fordere|abzugeben|abgabe|unterlass|beseitig|eingehen|eingang|rückgabe|zurück|melden|rückmeld|nachweis|übersend|zusend|zustimm|einverst|herauszugeben|herausgabe|aufgefordert|aufzufordern|gebeten|aus(?:ge|zu)?gl(?:ei|i)ch|benennen|hinterleg|schriftsatz|schriftsätz|vor(?:zu)?tragen|zu stellen|beantragen/i

/** The sender expects something by a time. Shops and service desks do so, too: only from the opponent it is urgent. */
const expectations =
  /vorgemerkt|nichts von ihnen|(?:wir|ich) erwarten?(?!\p{L})|erwarten? (?:wir|ich)(?!\p{L})|sehen?\s.{1,80}\sentgegen(?!\p{L})/iu

function confidenceOf(sentence: string, word: string, period: DeadlineHint['period']): number {
  // Years are limitation periods and warranties: nobody must act soon.
  if (period?.unit === 'year' || isPromise(sentence)) return 0.4
  if (!acts.test(withUmlauts(sentence))) return expectations.test(sentence) ? 0.7 : 0.4
  return word.startsWith('bis') || weakTriggers.test(word) ? 0.7 : 0.9
}

/** The sender says when he will act, or what he offers, and asks for nothing: `Wir melden uns binnen 24 Stunden.` */
function isPromise(sentence: string): boolean {
  return promises.test(sentence) && !asks.test(sentence)
}

const promises =
  /(?<!\p{L})(?:kosten(?:los|frei) (?:zurück|umtausch|storn)\p{L}{2,12}|wir (?:melden uns|(?:be)?antworten|bearbeiten)|melden wir uns|(?:(?:be)?antworten|bearbeiten) wir)(?!\p{L})/iu

/** The notice about the right of withdrawal that shops add to each order (Art. 246a § 1 Abs. 2 EGBGB, Anlage 1). */
const withdrawalNotice = /(?:Tagen|Wochen|Monats)\sohne\sAngabe\svon\sGr(?:ü|ue)nden/iu

/** Words of the sentences of this notice that name a period. */
const withdrawals = /widerruf|die waren/iu

/** Whether a sentence asks for an act, and neither denies it nor asks for its repetition: `Fragen Sie in zwei Wochen nach`. */
export function asksForAct(sentence: string): boolean {
  const isDenied = /(?<!\p{L})(?:nicht|kein\p{L}{0,2})(?!\p{L})/iu.test(sentence)
  const isConditional = /(?<!\p{L})(?:wenn|falls|sofern|sollten)(?!\p{L})/iu.test(sentence)
  const isRepeated = /(?<!\p{L})(?:wieder|erneut|nochmals?|noch einmal|nach(?:zu)?fragen)(?!\p{L})/iu.test(
    sentence,
  )
  const asked = withUmlauts(sentence).replace(asksForPatience, '')
  const isAsked = asks.test(asked) || demands(asked)
  return isAsked && acts.test(asked) && !isRepeated && (!isDenied || isConditional)
}

const asksForPatience =
  /bitten? (?:(?:wir|ich|sie|noch|daher) ){0,3}um (?:\p{L}{2,20} ){0,2}(?:geduld|verständnis|nachsicht)/u
