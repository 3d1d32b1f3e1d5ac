import { fold } from '#kernel/fold.ts'
import { salutations } from './layout.ts'
import { domainOf } from './sender-domains.ts'

/** The number of non-blank lines of a letter in which its head names the writer. */
const headLines = 8

export type LetterheadKind = 'court' | 'authority' | 'insurance' | 'lawyer'

export type Letterhead = { kind: LetterheadKind | null; head: string }

/**
 * The head of a letter, up to the name of the recipient, and the kind of its writer; null if no line names a writer. The
 * first line that names a writer decides: a brief to a court begins with the head of the lawyer who wrote it. In that
 * line the first word for a writer decides: the recipient may stand in a second column.
 */
export function letterheadOf(lines: string[]): Letterhead {
  const filled = lines.filter((line) => line !== '').slice(0, headLines)
  const end = filled.findIndex((line) =>
    /^(?:an(?:s| das| die| den|:)?(?: |$)|herrn?(?: |$)|frau(?: |$)|sehr geehrte|per (?:bea|fax|e-?mail))/iu.test(
      line,
    ),
  )
  const head = end === -1 ? filled : filled.slice(0, end)
  for (const line of head) {
    const [first] = kinds
      .map(([pattern, kind]) => ({ kind, at: line.search(pattern) }))
      .filter(({ at }) => at !== -1)
      .toSorted((one, other) => one.at - other.at)
    if (first !== undefined) return { kind: first.kind, head: head.join('\n') }
  }
  return { kind: null, head: head.join('\n') }
}

/** The number of non-blank lines in which a letter names its recipient. */
const addressLines = 20

/**
 * Whether the head of a letter names the office: a word of the domain of one of its mailboxes stands above the
 * salutation. Words that any office may have in its domain do not count.
 */
export function namesOffice(lines: string[], mailboxes: string[]): boolean {
  const salutation = lines.findIndex((line) => salutations.test(line))
  const head = (salutation === -1 ? lines : lines.slice(0, salutation)).filter((line) => line !== '')
  const words = new Set(fold(head.slice(0, addressLines).join(' ')).split(/[^\p{L}\p{N}]+/u))
  const own = mailboxes.flatMap((mailbox) =>
    domainOf(mailbox).split('.').slice(0, -1).join('.').split(/[.-]/),
  )
  return own.some((word) => word.length > 3 && !common.test(word) && words.has(fold(word)))
}

const common =
  /kanzlei|anw(?:a|ae|ä)lt|recht|legal|notar|steuer|partner|mail|post|eingang|akten|online|outlook|cloud/

/** Tested on each line of the head. Except for lawyers, the word must stand near the beginning of the line. */
const kinds: [RegExp, LetterheadKind][] = [
  [
    /(?:rechtsanw(?:alt|ält)|anwaltskanzlei|kanzlei|notar(?:e|in|iat)?(?!\p{L})|(?<!\p{L})RAe?(?!\p{L}))/iu,
    'lawyer',
  ],
  [
    /(?<=^.{0,40})(?<!\p{L})\p{L}*(?:(?<!renten)versicherung(?:en)?|versicherungs-?(?:ag|verein|gruppe)|krankenkasse|rechtsschutz)(?!\p{L})/iu,
    'insurance',
  ],
  [
    /(?<=^.{0,30})(?:staatsanwaltschaft|polizei|gerichtsvollzieher|familienkasse|berufsgenossenschaft|(?<!\p{L})\p{L}{0,20}(?:ministerium|behörde|\p{L}verwaltung|direktion|präsidium|kammer)(?<!(?:haus|miet|wohnungs|immobilien|grundstücks|objekt|vermögens|insolvenz|zwangs)verwaltung)(?!\p{L})|(?:finanz|zoll|jugend|ordnungs|sozial|bau|straßenverkehrs|gesundheits|standes|landrats|bundes|landes|grundbuch|einwohnermelde|versorgungs|umwelt)\p{L}{0,30}amt(?!\p{L})|bundesamt|jobcenter|agentur für arbeit|rentenversicherung|^(?:die )?(?:stadt|landkreis|gemeinde|landeshauptstadt|freistaat) )/iu,
    'authority',
  ],
  [
    /(?<=^.{0,20})(?<!\p{L})\p{L}{0,20}(?:gericht|gerichtshof|finanzhof|(?:justiz|gerichts)kasse)(?!\p{L})/iu,
    'court',
  ],
]
