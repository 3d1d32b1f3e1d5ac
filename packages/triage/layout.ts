import { findCourtReferences } from './court-references.ts'
import { limits } from './limits.ts'

/** The kinds of lines in a message: only `own` is written by its sender now. */
export type LineKind = 'own' | 'quoted' | 'signature' | 'disclaimer'

export type Line = { text: string; kind: LineKind }

/**
 * The lines of a body, each with its kind, as mail programs write them:
 *
 * - Quoted: lines that begin with `>`, and the line that introduces them; everything after a header block (`Von: …
 *   Gesendet: …`) or after `-----Ursprüngliche Nachricht-----` and the like. Everything after `Am … schrieb …:` is quoted
 *   too, if no `>` follows.
 * - Signature: after `-- `, and after a closing such as `Mit freundlichen Grüßen`, except a postscript and a
 *   Rechtsbehelfsbelehrung. A line of underscores above the salutation only ends a heading.
 * - Disclaimer: from its first line on; one above the salutation of the letter ends there.
 *
 * It reads `limits.body` characters, in time that grows with their number.
 */
export function readLayout(body: string): Line[] {
  const written = linesOf(body, limits.body)
  const kinds: LineKind[] = []
  const heading = headingLength(written)
  let kind: LineKind = 'own'
  let quotedToEnd = false
  let hasBegun = false
  for (let at = 0; at < written.length; at += 1) {
    const line = written[at] ?? ''
    if (quotedToEnd) {
      kinds.push('quoted')
      continue
    }
    if (isQuoteLine(line)) {
      kinds.push('quoted')
      // The text after a quote is the answer to it.
      if (kind === 'signature') kind = 'own'
      continue
    }
    const introduced = introductionLength(written, at)
    if (introduced > 0) {
      const next = nextNonBlank(written, at + introduced)
      if (next !== undefined && isQuoteLine(next)) {
        for (let count = 0; count < introduced; count += 1) kinds.push('quoted')
        at += introduced - 1
        kind = 'own'
        continue
      }
    }
    if (introduced > 0 || beginsEarlierMail(written, at)) {
      quotedToEnd = true
      kinds.push('quoted')
      continue
    }
    // A notice may stand above the letter.
    if (!hasBegun && salutations.test(line)) kind = 'own'
    if (isDisclaimer(line)) kind = 'disclaimer'
    else if (kind === 'own' && isSignatureMark(line) && !(line.startsWith('_') && at < heading))
      kind = 'signature'
    else if (kind === 'signature' && isPostscript(line)) kind = 'own'
    kinds.push(kind)
    if (kind === 'own' && line !== '') hasBegun = true
    if (kind === 'own' && isClosing(line) && !namesCourt(written, at)) kind = 'signature'
  }
  return written.map((text, at) => ({ text, kind: kinds[at] ?? 'quoted' }))
}

/**
 * The lines of a letter or another attachment, up to an earlier mail that is printed in it; of a long one, both ends. The
 * head of a fax has fields of the same names, but stands at its beginning, without a mail address and a time of sending.
 */
export function letterLines(text: string): string[] {
  const rest = text.slice(limits.attachment).slice(-limits.attachmentEnd)
  const written = [
    ...linesOf(text, limits.attachment),
    ...(rest === '' ? [] : ['', ...linesOf(rest, limits.attachmentEnd)]),
  ]
  const end = written.findIndex((_, at) => beginsEarlierMail(written, at) && !isHeadOfFax(written, at))
  return end === -1 ? written : written.slice(0, end)
}

/** The number of lines with text in which a fax has its head. */
const faxLines = 10

function isHeadOfFax(lines: string[], at: number): boolean {
  const above = lines.slice(0, at).filter((line) => line !== '')
  const fields = lines.slice(at, at + headerLines).filter((line) => headerName.test(line))
  return (
    headerName.test(lines[at] ?? '') &&
    above.length < faxLines &&
    !fields.some((line) => /@|^\*?(?:Gesendet|Sent):/i.test(line))
  )
}

function linesOf(text: string, longest: number): string[] {
  return withPlainCharacters(text.slice(0, longest))
    .split('\n', limits.lines)
    .map((line) => line.slice(0, limits.line).trim())
}

/**
 * The text with plain blanks and hyphens for narrow and non-breaking ones, as in `3\u00a0O\u00a045/26` and
 * `2\u2011Wochen\u2011Frist`, and without blanks of no width.
 */
export function withPlainCharacters(text: string): string {
  return text
    .replace(/[\u00a0\u2000-\u200a\u202f]/g, ' ')
    .replace(/[\u2010\u2011]/g, '-')
    .replace(/[\u200b\u2060\ufeff]/g, '')
}

/** The number of lines above the salutation if none of them ends a sentence; otherwise 0. */
function headingLength(lines: string[]): number {
  const first = lines.findIndex((line) => salutations.test(line) || /[.!?]$/.test(line))
  return salutations.test(lines[first] ?? '') ? first : 0
}

function isQuoteLine(line: string): boolean {
  return line.startsWith('>')
}

/** The number of lines over which a program may break an introduction. */
const introductionLines = 3

/** How many lines from here introduce a quote (`Am … schrieb …:`, `… <a@b.example> schrieb am …:`); 0 if none do. */
function introductionLength(lines: string[], at: number): number {
  const first = lines[at] ?? ''
  const beginsWithDay = /^(Am|On|Le|Den) /.test(first)
  if (!beginsWithDay && !first.includes('<')) return 0
  let joined = ''
  for (let count = 1; count <= introductionLines; count += 1) {
    joined += `${lines[at + count - 1] ?? ''} `
    if (!joined.endsWith(': ')) continue
    if (!beginsWithDay) return introducedByName.test(joined) ? count : 0
    const says = /\b(schrieb|wrote|geschrieben)\b/.test(joined)
    return says && /[<@]|\d{1,2}[:.]\d{2}\b/.test(joined) ? count : 0
  }
  return 0
}

const introducedByName =
  /^[^<>:]{1,80}< ?[^<>\s]{1,200}@[^<>\s]{1,200}> (?:schrieb am [^<>]{6,50}\d|hat am [^<>]{6,50} geschrieben): $/

function nextNonBlank(lines: string[], from: number): string | undefined {
  for (let at = from; at < Math.min(lines.length, from + 5); at += 1) if (lines[at] !== '') return lines[at]
  return undefined
}

const separators =
  /^[-_*=\s]{0,20}(Urspr(?:ü|ue)ngliche Nachricht|Urspr. Nachricht|Original-?\s?Nachricht|Original(?: Message)?|Originalnachricht|Weitergeleitete Nachricht|Forwarded message|Gesendete Nachricht)[-_*=\s]{0,20}$/i

const beginnings =
  /^(Anfang der weitergeleiteten (Nachricht|E-Mail)|Begin forwarded message|Weitergeleitet von|Forwarded by)\b/i

const headerName =
  /^\*?(Von|From|Gesendet|Sent|Datum|Date|An|To|Cc|Kopie|Betreff|Subject|Antwort an|Reply-To):/i

/** The number of lines in which the fields of an earlier mail stand. */
export const headerLines = 6

/** Whether an earlier mail begins here and continues to the end, without `>` before its lines. */
function beginsEarlierMail(lines: string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (separators.test(line)) return true
  if (beginnings.test(line)) {
    const next = nextNonBlank(lines, at + 1)
    return next === undefined || !isQuoteLine(next)
  }
  if (!/^\*?(Von|From|Gesendet|Betreff|Subject):/i.test(line)) return false
  let fields = 0
  for (let next = at; next < Math.min(lines.length, at + headerLines); next += 1)
    if (headerName.test(lines[next] ?? '')) fields += 1
  return fields >= 3
}

/**
 * Whether the message forwards an earlier mail: its subject begins with a mark of forwarding, or a program says so above
 * the earlier mail. An answer (`AW: WG: …`) only quotes it, with the mark of an earlier forward somewhere below.
 */
export function forwards(subject: string, lines: Line[]): boolean {
  const first = lines.find(({ kind }) => kind === 'quoted')?.text ?? ''
  return (
    /^(?:\[[^\]]{1,40}\] ?)?(?:wg|fwd?) ?:/i.test(subject) ||
    /^[-_*=\s]{0,20}(?:weitergeleitete|forwarded|begin forwarded|anfang der weiter)/i.test(first)
  )
}

function isSignatureMark(line: string): boolean {
  return (
    /^(--|—|_{5,60})$/.test(line) || /^(Von meinem .{1,40} gesendet|Gesendet von |Sent from my )/.test(line)
  )
}

/** Whether the line closes a letter. A closing is a short line of its own. */
function isClosing(line: string): boolean {
  if (line.length > 60 || line.length < 2) return false
  return (
    /^(?:mit|viele|besten?|freundl(?:ichen?|\.)|lieben?|herzl(?:ichen?|\.)|schönen?|sonnige)(?!\p{L}).{0,30}\bgr(?:u|ü|ue)(?:ß|ss)(?:en?)?(?!\p{L})/iu.test(
      line,
    ) ||
    /^(?:gru(?:ß|ss)|gr(?:ü|ue)(?:ß|ss)e|lg|vg|mfg|hochachtungsvoll|kind regards|best regards|regards|yours sincerely|auf anordnung)(?!\p{L}).{0,12}$/iu.test(
      line,
    )
  )
}

/** The number of lines below the name of a court in which its reference stands. */
const referenceLines = 3

/** Whether a line like `LG Köln` names a court, and is no closing like `LG Thomas`. */
function namesCourt(lines: string[], at: number): boolean {
  const line = lines[at] ?? ''
  const below = lines.slice(at + 1, at + 1 + referenceLines)
  return (
    /^[LV]G /.test(line) &&
    (/(?::| I{1,2})$/.test(line) || below.some((one) => findCourtReferences(one).length > 0))
  )
}

/** Whether a line below a closing begins text of the sender: a postscript, or how to attack a decision. */
function isPostscript(line: string): boolean {
  return (
    /^(P\.?\s?S\.?|Nachtrag)\b/.test(line) ||
    /^(?:(?:rechts(?:behelfs|mittel)?|einspruchs|widerspruchs)?belehrung|rechtsbehelfe?|rechtsmittel)(?!\p{L})/iu.test(
      line,
    )
  )
}

const disclaimers = [
  /^(diese|die) (e-?mail|nachricht)\b.{0,60}\b(vertraulich|geschützt|bestimmt)/i,
  /^(der|die) inhalt\b.{0,20}\b(e-?mail|nachricht)\b/i,
  /^(vertraulichkeitshinweis|datenschutzhinweis|informationen zum datenschutz|pflichtangaben|haftungsausschluss|disclaimer)\b/i,
  /^this (e-?mail|message)\b.{0,60}\b(confidential|intended|privileged)/i,
  /^(bitte )?(denken sie an die umwelt|prüfen sie der umwelt|bevor sie diese e-?mail)/i,
]

function isDisclaimer(line: string): boolean {
  return line.length > 10 && disclaimers.some((pattern) => pattern.test(line))
}

/** The salutation of a letter. */
export const salutations =
  /^(?:sehr geehrte|liebe[rs]?\b|hallo\b|guten (?:tag|morgen|abend)|moin\b|servus\b|grüß|dear\b|hi\b|werte[rs]?\b)/i
