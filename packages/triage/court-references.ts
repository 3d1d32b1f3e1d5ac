import { endsWithProsecutors, isRegister, standsAlone } from './registers.ts'

/** A court's reference as it stands in a line: from `start` to before `end`. */
export type FoundReference = { key: string; start: number; end: number }

/**
 * The form in which references are compared and stored: lower case without blanks, the year with two digits; `3 O
 * 45/26`, `3O45/2026` and `3 O 45 / 26` are `3o45/26`. A register sign counts only as courts write it: `3 o 45/26` is
 * no reference. The letters `ER`, which a social court adds for interim relief, belong to the reference, because
 * interim relief is a case of its own. The letters that other courts add (`E`, `.A`, `SO`) do not.
 *
 * @returns null if the text is no reference of a court or prosecutor
 */
export function courtReferenceKey(written: string): string | null {
  return findCourtReferences(written)[0]?.key ?? null
}

/**
 * The references in a line. For `532 Ds 12 Js 345/26` it returns the references of the court and of the prosecutor.
 *
 * Every pattern is bounded, so the time grows with the length of the line.
 */
export function findCourtReferences(line: string): FoundReference[] {
  const found: FoundReference[] = []
  for (const core of line.matchAll(cores)) {
    const [written, number = '', year = '', bavarianYear = '', bavarianNumber = ''] = core
    const start = core.index
    const numbered =
      bavarianYear === ''
        ? `${Number(number)}/${year.slice(-2)}`
        : `${bavarianYear}.${Number(bavarianNumber)}`
    const before = registerBefore(line, start)
    if (before === undefined) continue
    const end = start + written.length
    const interim = /^ ?(B ?)?ER\b/.exec(line.slice(end, end + 6))?.[0] ?? ''
    const suffix = keyPart(interim)
    found.push({
      key: `${keyPart(before.text)}${numbered}${suffix}`,
      start: before.start,
      end: end + interim.length,
    })
    const court = before.sign === 'Js' ? registerBefore(line, before.start) : undefined
    if (court !== undefined && endsWithProsecutors(court.sign))
      found.push({
        key: `${keyPart(court.text)}${keyPart(before.text)}${numbered}`,
        start: court.start,
        end,
      })
  }
  return found
}

/** `345/26` and, in Bavaria's administrative courts, `26.1234`. */
const cores = /(?<![\d/.,-])(?:(\d{1,6}) ?\/ ?((?:19|20)\d\d|\d\d)(?![\d/])|(\d\d)\.(\d{2,6})(?![\d.,/]))/g

/** Characters before a number in which its register sign and chamber stand. */
const reach = 26

/**
 * Chamber, department or senate (`12`, `36a`, `XII`, `IXa`, `S 12`, `M 12`, `Au 2`) and register sign (`O`, `HK O`,
 * `Js`, `NotZ(Brfg)`).
 */
const registerAtEnd =
  /(?:^|[^\p{L}\p{N}])((?:(?:(?:S|L|B|M|W|N|AN|Au|RN|RO) ?)?\d{1,4}[a-z]? ?|[IVX]{1,6}[a-z]? )?)((?:HK )?[A-Z][A-Za-z]{0,6}) ?(\((?:Brfg|R|B|Ü|pkh|PKH)\))? ?$/u

function registerBefore(
  line: string,
  end: number,
): { text: string; sign: string; start: number } | undefined {
  const part = line.slice(Math.max(0, end - reach), end)
  const match = registerAtEnd.exec(part)
  if (match === null) return undefined
  const [whole, chamber = '', sign = '', added = ''] = match
  if (!isRegister(sign.replace(' ', ''))) return undefined
  if (chamber.trim() === '' && !standsAlone(sign)) return undefined
  // `36a XVII 88/26` has the key of `XVII 88/26`: earlier releases stored it.
  const ofKey = /\d[a-z]/.test(chamber) && standsAlone(sign) ? '' : chamber
  const text = `${ofKey}${sign}${added}`
  const offset = whole.length - whole.replace(/^[^\p{L}\p{N}]/u, '').length
  return { text, sign, start: end - part.length + match.index + offset }
}

function keyPart(text: string): string {
  return text.replaceAll(' ', '').toLowerCase()
}
