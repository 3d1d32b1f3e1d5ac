/** A page with fewer letters may be a scan whose text layer has only a stamp or a page number. */
const minLetters = 20

/** Whether OCR may find more text on a page than its text layer has. */
export function isSparse(text: string): boolean {
  const count = letters(text)
  return count < minLetters || count < unmappedGlyphs(text)
}

/** The text layer of a page or the text from OCR: the one with more letters. */
export function fullerText(layer: string, fromOcr: string): string {
  return letters(fromOcr) >= letters(layer) || unmappedGlyphs(layer) > letters(layer) ? fromOcr : layer
}

/** The number of letters and digits. */
function letters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

/** The number of glyphs whose font does not say which characters they show. */
function unmappedGlyphs(text: string): number {
  return text.match(/[\ufffd\p{Co}\p{Cc}]/gu)?.filter((character) => !/\s/.test(character)).length ?? 0
}
