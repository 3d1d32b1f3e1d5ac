import type { CalendarDate } from '#german-time/calendar-date.ts'
import { wholeCharacters } from '#kernel/text.ts'
import { findDate } from './german-dates.ts'
import { limits } from './limits.ts'
import type { DeadlineHint } from './schema.ts'

/**
 * The sentences of a text that name a time limit, each with its last day or its period. Days before `today` are over and
 * are left out. A time limit may continue on the next printed line, but not in the next paragraph. A hint never makes a
 * deadline (I5).
 */
export function findDeadlineHints(printed: string, today: CalendarDate): DeadlineHint[] {
  const text = withWholeWords(printed)
  const hints: DeadlineHint[] = []
  let readTo = 0
  for (const trigger of text.matchAll(triggers)) {
    if (hints.length >= limits.hints) break
    if (trigger.index < readTo) continue
    const rest = text.slice(trigger.index, trigger.index + reach)
    const word = trigger[0].toLowerCase()
    const isUntil = word.startsWith('bis') || word.startsWith('sp')
    const found = isUntil ? dateAfter(rest, today) : periodOrDate(rest, today)
    if (found === undefined) continue
    const [start, end] = sentenceAround(text, trigger.index)
    const sentence = wholeCharacters(text.slice(start, end)).replace(/\s+/g, ' ').trim()
    if (isUntil && isAbsence(sentence)) continue
    hints.push({ text: sentence, ...found, confidence: confidenceOf(sentence, word) })
    readTo = end
  }
  return hints
}

/** Joins words that are broken at the end of a printed line, but not `Klage-` before `und Begründungsfrist`. */
function withWholeWords(printed: string): string {
  return printed.replace(/\u00ad\n?|(?<=\p{L})-\n(?!(?:und|oder|bzw|sowie)(?!\p{L}))(?=\p{Ll})/gu, '')
}

type Found = Pick<DeadlineHint, 'date' | 'period'>

/**
 * `frist` also matches the end of a word, such as `Stellungnahmefrist`. The others match whole words only. `von bis` is
 * the head of a column.
 */
const triggers =
  /frist(?:en|ablauf|ende)?(?!\p{L})|(?<!\p{L})(?:binnen|innerhalb|innert|sp(?:ä|ae)testens|(?<!(?<!\p{L})von[ |/–-]{1,3})bis(?=\s(?:zum|sp(?:ä|ae)testens|einschlie(?:ß|ss)lich|einschl|l(?:ä|ae)ngstens|zu\sdem|\p{L}{0,10}tag,?|\d)))(?!\p{L})/giu

/** The number of characters after a trigger in which its date or period must stand. */
const reach = 60

/** The date must follow soon: `bis zum 15.12.2026`, `bis spätestens Freitag, den 4. Dezember 2026`. */
function dateAfter(rest: string, today: CalendarDate): Found | undefined {
  const found = findDate(rest, today)
  return found === undefined || found.index > 42 || found.date < today
    ? undefined
    : { date: found.date, period: null }
}

function periodOrDate(rest: string, today: CalendarDate): Found | undefined {
  const period = findPeriod(rest)
  if (period !== undefined) return { date: null, period }
  const until = /\b(?:bis|am|zum|auf\sden)\b/.exec(rest)
  // `Die Frist 1.12.2026 wird bis zum 22.12.2026 verlängert`: the last day is the one after `bis`.
  const named = until?.[0] === 'bis' ? undefined : dateOfName(rest, today)
  if (named !== undefined) return named
  return until === null ? undefined : dateAfter(rest.slice(until.index), today)
}

/** `Frist: 15.12.2026`, `Fristablauf Montag, 15.12.2026`: the date stands directly after the word. */
function dateOfName(rest: string, today: CalendarDate): Found | undefined {
  const name = /^(?:[Ff]rist|FRIST)\p{L}{0,6}\s?:?\s{0,3}(?:\p{L}{2,10}\.?, ?(?:den )?)?(?=\d)/u.exec(
    rest,
  )?.[0]
  const found = name === undefined ? undefined : findDate(rest.slice(name.length), today)
  return found?.index === 0 && found.date >= today ? { date: found.date, period: null } : undefined
}

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
  zehn: 10,
  zwölf: 12,
  zwoelf: 12,
  vierzehn: 14,
  dreißig: 30,
  dreissig: 30,
}

const units = { tag: 'day', woche: 'week', monat: 'month', jahr: 'year' } as const

const periods =
  /(?<![\p{L}\d.,])(\d{1,3}|ein(?:em|er|es|en|e)?|zwei(?:er)?|drei(?:er)?|vier|f(?:ü|ue)nf|sechs|sieben|acht|zehn|zw(?:ö|oe)lf|vierzehn|drei(?:ß|ss)ig)(?:[ -]{1,2}|\s)(?:\((?:\d{1,3}|\p{L}{3,12})\)\s)?(?:(?:weiteren|vollen)\s)?(?:Kalender)?(Tag|Woche|Monat|Jahr)(?:e|en|es|s|n)?(?!\p{L})/iu

function findPeriod(rest: string): DeadlineHint['period'] | undefined {
  const [whole = '', count = '', unit = ''] = periods.exec(rest) ?? []
  const number = /^\d/.test(count) ? Number(count) : counts[count.toLowerCase()]
  // A row may end with a number, and the next one begin with `Tag`.
  if (number !== 1 && whole.includes('\n') && whole.endsWith(unit)) return undefined
  const key = unit.toLowerCase() as keyof typeof units
  return number === undefined || number === 0 ? undefined : { unit: units[key], count: number }
}

/** Words with which somebody is asked to act, or an act is bound to a time. */
const acts =
  /frist|stellungnahme|stellung|äußern|äußerung|gelegenheit|antwort|erwider|begründ|einspruch|widerspruch|klage|berufung|beschwerde|revision|rechtsmittel|rechtsbehelf|einwend|widerruf|zahl|überweis|räum|abhol|anmeld|anzumelden|vorleg|vorlage|einreich|mitteil|mitzuteilen|gebunden|angebot|annahm|verlänger|bitte|erbitten|auskunft|einzuzahlen|ratifi|gilt/i

function confidenceOf(sentence: string, word: string): number {
  if (!acts.test(sentence)) return 0.4
  return word.startsWith('bis') ? 0.7 : 0.9
}

/** Somebody is away until then, and the sentence sets no time limit. */
function isAbsence(sentence: string): boolean {
  return (absences.test(sentence) || away.test(sentence)) && !setsLimit.test(sentence)
}

/** Words of a time limit. An absence beside them is only its reason. */
const setsLimit = /frist|stellung|stattgegeben|(?:ä|ae)u(?:ß|ss)er|erwider|begr(?:ü|ue)nd/i

const absences =
  /nicht (?:erreichbar|im (?:B(?:ü|ue)ro|Hause|Dienst))|abwesend|au(?:ß|ss)er Haus|wieder im Dienst|verhindert bin|(?<!\p{L})(?:(?:im|in) \p{L}*urlaub|(?:haben?|hat|machen?|macht)(?: [^\s,;]+){0,4} Urlaub(?! genommen)|\p{L}*urlaub bis)(?!\p{L})/iu

/**
 * `… ist bis 30.11.2026 verhindert`, but not `Anspruch auf Urlaub`, and no condition: `Ist ein Beteiligter verhindert, …`,
 * `ob Sie verhindert sind`. So `ist` and `sind` count only in lower case. After `vom 21.11.` a sentence begins with `bis`.
 */
const away =
  /(?<!\p{L})(?:[Bb]in|ist|sind)(?: (?!Sie )[^\s,;]+){0,8} (?:verhindert|auf Urlaub)(?!\p{L})|^bis (?:zum )?[\d.]{5,10} (?:verhindert|Urlaub)(?!\p{L})/u

/** Short words with a full stop that ends no sentence. */
const abbreviation =
  /(?:^|[\s(])(?:\p{L}{1,3}|\d{1,4}|bzw|evtl|ggf|vgl|Abs|Art|Nr|einschl|spät|gem|Urt|Beschl|Rspr|Str)$/u

/**
 * The start and end of the sentence around this position: at most `limits.sentence` characters, within its paragraph.
 */
function sentenceAround(text: string, at: number): [number, number] {
  const half = limits.sentence / 2
  let start = Math.max(0, at - half)
  const left = text.slice(start, at)
  for (const { index } of left.matchAll(/[.!?;]\s+|\n\s*\n/g))
    if (left[index] === '\n' || !abbreviation.test(left.slice(Math.max(0, index - 12), index)))
      start = at - left.length + index + 1
  const right = text.slice(at, at + half)
  let end = at + right.length
  for (const { index } of right.matchAll(/[.!?](?=\s|$)|\n\s*\n/g)) {
    if (right[index] !== '\n' && abbreviation.test(right.slice(Math.max(0, index - 12), index))) continue
    end = at + index + (right[index] === '\n' ? 0 : 1)
    break
  }
  return [start, end]
}
