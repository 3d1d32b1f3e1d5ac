/** A page with fewer letters may be a scan whose text layer has only a stamp or a page number. */
const minLetters = 20

/** Whether OCR may find more text on a page than its text layer has. */
export function isSparse(text: string): boolean {
  const letters = countLetters(text)
  return letters < minLetters || letters < countUnmappedGlyphs(text)
}

/**
 * Chooses the text of a page. The text layer wins only if it has more letters than the text from OCR, and at least as
 * many letters as unmapped glyphs.
 */
export function fullerText(layer: string, fromOcr: string): string {
  const letters = countLetters(layer)
  return countLetters(fromOcr) >= letters || countUnmappedGlyphs(layer) > letters ? fromOcr : layer
}

/** Counts letters and digits. */
function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

/** Counts the glyphs whose font does not say which characters they show. */
function countUnmappedGlyphs(text: string): number {
  return text.match(/[\ufffd\p{Co}\p{Cc}]/gu)?.filter((character) => !/\s/.test(character)).length ?? 0
}
