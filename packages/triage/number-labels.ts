import type { NumberSignal } from './ports.ts'

/** `foreign`: it is called something that is no file number, such as an invoice. */
export type NumberLabel = NumberSignal['label'] | 'foreign'

/** Characters before a number in which its label stands. */
const reach = 60

/**
 * What the line calls the number that begins at `start`. `above` is the line before: where the number begins its line,
 * its label may stand there alone (`Ihr Zeichen:`).
 */
export function labelOf(line: string, start: number, above: string): NumberLabel {
  const sameLine = line.slice(Math.max(0, start - reach), start)
  const before = sameLine.trim() === '' && above.endsWith(':') ? above.slice(-reach) : sameLine
  const [last = '', ...words] = wordsBefore(before)
  const isNumbered = numberWords.has(last)
  const [mark = '', ...owners] = isNumbered ? words : [last, ...words]
  if (fileWords.has(mark)) return owners.some((word) => yours.has(word)) ? 'ours' : 'reference'
  if (signWords.has(mark)) {
    const owner = owners.slice(0, 2).find((word) => yours.has(word) || mine.has(word))
    if (owner === undefined) return 'reference'
    return yours.has(owner) ? 'ours' : 'theirs'
  }
  return isNumbered || isForeign(mark) ? 'foreign' : 'none'
}

const fillers = new Set(
  'lautet ist lautend wie folgt der die das kanzlei zu in mit unter dem den und oder'.split(' '),
)

/** The last words before a number, the nearest first, without those that may stand between a label and its number. */
function wordsBefore(before: string): string[] {
  const words = before
    .toLowerCase()
    .split(/[^\p{L}\p{N}-]/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .toReversed()
  const first = words.findIndex((word) => !fillers.has(word))
  return first === -1 ? [] : words.slice(first, first + 4)
}

const numberWords = new Set(['nr', 'no', 'num', 'nummer'])

/** Words for a file as such: whoever says `meine Akte` means ours. */
const fileWords = new Set(
  'akte akten sache sachen angelegenheit angelegenheiten verfahren eilverfahren klageverfahren mandat fall'.split(
    ' ',
  ),
)

/** Words for the sign under which somebody keeps a file: `unser Zeichen` is the sender's own. */
const signWords = new Set(
  'az aktz aktenz aktenzeichen aktennummer akten-nr zeichen gz geschäftszeichen gesch-z geschäftsnummer ref reference referenz file'.split(
    ' ',
  ),
)

const yours = new Set('ihr ihre ihrem ihrer ihres ihren your'.split(' '))
const mine = new Set(
  'unser unsere unserem unserer unseres unseren mein meine meinem meiner our my'.split(' '),
)

/** Words for numbers that are no file numbers, also as the end of a longer word: `Kundennummer`, `Heizkostenabrechnung`. */
const endings =
  'nummer -nr rechnung gutschrift versicherungsschein lieferschein flurstück flurstueck bestellung lieferung sendung drucksache verordnung richtlinie nachrichten'.split(
    ' ',
  )

/** The same as whole words only. */
const foreign = new Set(
  [
    'police vertrag konto vertragskonto kunde flst flur grundbuch parzelle gemarkung schaden schadenfall auftrag angebot',
    'paket ticket vorgang objekt bauvorhaben projekt wohnung zimmer haus straße weg platz',
    'heft ausgabe newsletter jahrgang band seite seiten blatt anlage position artikel norm urkundenrolle urnr urkunde gutachten',
    'miete gehalt lohn monat beitrag rate quartal kw stand version telefon tel fax mobil verhältnis quote anteil',
    'njw njw-rr nza nzm mdr zip wm bb db famrz nvwz nstz wum baur baurecht grur versr dar',
    's bl re rg kd vn vs vsnr pos art iso din en eg eu',
  ].flatMap((row) => row.split(' ')),
)

function isForeign(word: string): boolean {
  return foreign.has(word) || endings.some((ending) => word.endsWith(ending))
}
