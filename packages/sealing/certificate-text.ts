/** Left-to-right scripts without joined letters that the font can draw. */
const drawable =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]$/u
/** Control characters, direction marks and other invisible characters. */
const unseen = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]$/u

/**
 * A text in one line, as the font can show it. Characters that the font cannot show, that are invisible, or that change
 * the direction appear as their number (`‹U+202E›`). Nothing is left out, and no character looks like another.
 */
export function shownText(text: string, has: (codePoint: number) => boolean): string {
  return [...text.normalize('NFC').replaceAll(/[\t\r\n]+/g, ' ')]
    .map((character) => {
      const codePoint = character.codePointAt(0) ?? 0
      const isShown = drawable.test(character) && !unseen.test(character) && has(codePoint)
      return isShown ? character : `‹U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}›`
    })
    .join('')
}

/**
 * Breaks a shown text into lines of this width in points: between words, and inside a word that is wider than a line.
 */
export function linesOf(text: string, widthOf: (text: string) => number, width: number): string[] {
  const fits = (line: string) => widthOf(line) <= width
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (fits(longer)) {
      line = longer
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (line !== '' && !fits(line + character)) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}
