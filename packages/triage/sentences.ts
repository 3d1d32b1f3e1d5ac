import { limits } from './limits.ts'

/**
 * The start and end of the sentence around this position: at most `limits.sentence` characters, within its paragraph.
 */
export function sentenceAround(text: string, at: number): [number, number] {
  const half = limits.sentence / 2
  let start = Math.max(0, at - half)
  const left = text.slice(start, at)
  for (const { index } of left.matchAll(/[.!?;]\s+|\n\s*\n/g))
    if (left[index] === '\n' || !isAbbreviation(text, at - left.length + index))
      start = at - left.length + index + 1
  const right = text.slice(at, at + half)
  let end = at + right.length
  for (const { index } of right.matchAll(/[.!?](?=\s|$)|\n\s*\n/g)) {
    if (right[index] !== '\n' && isAbbreviation(text, at + index)) continue
    end = at + index + (right[index] === '\n' ? 0 : 1)
    break
  }
  return [start, end]
}

/** Short words, and days such as `15.12.`, with a full stop that ends no sentence. */
const abbreviation =
  /(?<![\d.])\d{1,2}\.\d{1,2}$|(?:^|[\s(])(?:\p{L}{1,3}|\d{1,3}|bzw|evtl|ggf|vgl|Abs|Art|Nr|einschl|in[ck]l|spät|gem|Urt|Beschl|Rspr|Str)$/u

/** A sentence that begins after a day: `bis zum 15.12. Danach`, but not `bis zum 15.12. Stellung zu nehmen`. */
const afterDay =
  /(?<=\d\.\d{1,2})\.\s+(?!(?:Antwort|Auskunft|Einspruch|Gelegenheit|Stellung|Urlaub|Widerspruch|Zahlung|Zeit)(?!\p{L}))\p{Lu}/uy

/** Whether the full stop at `index` belongs to a short word or a day. */
function isAbbreviation(text: string, index: number): boolean {
  afterDay.lastIndex = index
  return abbreviation.test(text.slice(Math.max(0, index - 12), index)) && !afterDay.test(text)
}

/** A text in lower case, on one line, with `ä` for `ae` and the like. `Steuer` has an odd `ü` then. */
export function withUmlauts(text: string): string {
  return text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[aou]e/g, (pair) => umlauts[pair] ?? pair)
}

const umlauts: Record<string, string> = { ae: 'ä', oe: 'ö', ue: 'ü' }

/** Words with which somebody asks for something, or says that it must be done. */
export const asks =
  /(?<!\p{L})(?:bitten?|gebeten|erbitten|erbeten|muss|m(?:ü|ue)ssen|m(?:ü|ue)sste[nr]?|soll(?:en|te[nr]?)?|ben(?:ö|oe)tig\p{L}{1,4}|brauchen?|fordern?|aufgefordert|aufzufordern|(?:wird|werden)\s(?:.{1,80}\s)?aufgegeben|verlang(?:t|en)|(?:will|wollen|m(?:ö|oe)chten?), dass|(?<=,\s)(?:sonst|ansonsten|andernfalls)|erwarten?|gelegenheit|\p{L}{0,20}(?:antwort|erkl(?:ä|ae)rung|stellungnahme|zahlung|einspruch|widerspruch|klage)(?=\s(?:bitte\s)?(?:bis|sp(?:ä|ae)testens)\s)|sehen?\s.{1,80}\sentgegen|(?:k(?:ö|oe)nnt?en|w(?:ü|ue)rden|zahlen|(?:ü|ue)berweisen|antworten|unterschreiben|r(?:ä|ae)umen|unterlassen) sie|(?:kannst|k(?:ö|oe)nntest) du|\p{L}{0,20}frist(?:ablauf|ende|verl(?:ä|ae)ngerung)?|deadline|verj(?:ä|ae)hr(?:t|en|ung)|r(?:ü|ue)ckruf|r(?:ü|ue)ckmeldung|dringend|eilt)(?!\p{L})/iu

/** `Teilen Sie uns mit, …`, `Nehmen Sie Stellung` */
const imperatives =
  /(?<!\p{L})(?:(?:teilen|senden|(?:ü|ue)bersenden|schicken|melden|reichen|legen|erkl(?:ä|ae)ren|best(?:ä|ae)tigen|begleichen|erheben|veranlassen) sie|nehmen sie(?= .{0,80}\sstellung)|geben sie(?= .{0,80}\s(?:\p{L}{0,20}erkl(?:ä|ae)rung|auskunft|bescheid)))(?!\p{L})/iu

/** Whether a sentence asks for something in an imperative, and is no offer of a shop or an organizer. */
export function demands(sentence: string): boolean {
  return imperatives.test(sentence) && !isOffer.test(sentence)
}

/** Offers of shops for some days: `Die Preise gelten bis Freitag`, but not `Das Angebot zum Preis von 500 € gilt`. */
export const bargains =
  /gutschein|rabatt|coupon|(?<!\p{L}|(?<!\p{L})(?:de[mn]|einem|zum?)\s)(?:(?:aktions|angebots|sonder|spar|tages)?preise?n?|aktion(?:en)?)(?!\p{L})/iu

export const courses = /seminar|webinar|fortbildung/i

const isOffer = new RegExp(
  `${bargains.source}|${courses.source}|gewinnspiel|gewinnen\\ssie|warenkorb|melden\\ssie\\ssich\\s.{1,99}\\san\\W{0,3}$`,
  'iu',
)

/** Whether a clause says what somebody must do or has time for: `Der Antrag ist bis Freitag zu stellen`. */
export function obliges(clause: string): boolean {
  const isDenied = /(?<!\p{L})(?:nicht|kein\p{L}{0,2}|kaum|viel)(?!\p{L})/iu.test(clause)
  return !isDenied && isObliged.test(clause)
}

const isObliged =
  /(?<!\p{L})(?:ist|sind|haben?|hat)\s.*(?<!\p{L})(?:Zeit|zu\s(?!erreichen|rechnen)\p{Ll}{3,30}n|(?:ab|an|auf|aus|bei|dar|ein|heraus|hin|mit|nach|vor|weiter|zurück|zurueck)zu\p{Ll}{2,30}n)(?!\p{L})/su

/**
 * Somebody is away, or an office is closed, until then, and the sentence sets no time limit. `before` and `from`: the
 * sentence up to the word `bis`, and from it on. The absence may only be the reason of a request: `Da wir ab dem 21.12.
 * geschlossen haben, bitten wir um Antwort bis zum 18.12.`
 */
export function isAbsence(before: string, from: string): boolean {
  const [left, right] = [before, from].map((text) => text.replace(/\s+/g, ' ')) as [string, string]
  const sentence = `${left}${right}`.trim()
  const isAwayUntil = awayUntil.test(right)
  if ((!isAwayUntil && !isAway(sentence)) || setsLimit.test(sentence)) return false
  const request = `${left.split(absences).at(-1)?.split(away).at(-1)}${right.split(/,(?!\s(?:de[nm]\s)?\d)/, 1)[0]}`
  return isAwayUntil || isAway(request) || !(asks.test(request) || obliges(request)) || patience.test(request)
}

function isAway(text: string): boolean {
  return absences.test(text) || away.test(text)
}

/** `Ich bin bis zum 15.12.2026 krank`: these words alone say nothing about a time. */
const awayUntil =
  /^bis (?:[^\s,;]+ ){1,6}(?:krank(?:geschrieben)?|auf (?:einer )?(?:Dienstreise|\p{L}*[Ff]ortbildung)|in Elternzeit|i[nm] Mutterschutz)(?!\p{L})/iu

/** Words of a request that only somebody who is away has. */
const patience = /geduld|verst(?:ä|ae)ndnis|wenden|kontaktieren|beachten/i

/** Words of a time limit. An absence beside them is only its reason. */
const setsLimit = /frist|stellung|stattgegeben|(?:ä|ae)u(?:ß|ss)er|erwider|begr(?:ü|ue)nd/i

const absences =
  /nicht da(?=[,.;]|$)|nicht (?:erreichbar|im (?:B(?:ü|ue)ro|Hause|Dienst))|abwesend|au(?:ß|ss)er Haus|wieder im Dienst|verhindert bin|(?<!\p{L})(?:(?:im|in) \p{L}*urlaub|(?:haben?|hat|machen?|macht)(?: [^\s,;]+){0,6} Urlaub(?! genommen)|\p{L}*urlaub bis|\p{L}*betriebsferien|\p{L}*(?:b(?:ü|ue)ro|kanzlei|praxis|gesch(?:ä|ae)ftsstelle|betrieb)(?: (?!\p{L}*(?:vergleich|vertrag|vereinbarung))[^\s,;]+){0,9} geschlossen)(?!\p{L})/iu

/**
 * `… ist bis 30.11.2026 verhindert`, but not `Anspruch auf Urlaub`, and no condition: `Ist ein Beteiligter verhindert, …`,
 * `ob Sie verhindert sind`. So `ist` and `sind` count only in lower case. After `vom 21.11.` a sentence begins with `bis`.
 */
const away =
  /(?<!\p{L})(?:[Bb]in|ist|sind)(?: (?!Sie )[^\s,;]+){0,8} (?:verhindert|auf Urlaub)(?!\p{L})|^bis (?:zum )?[\d.]{5,10} (?:verhindert|Urlaub)(?!\p{L})/u
