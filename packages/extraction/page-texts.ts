/** A page with fewer letters may be a scan with a stamp, a page number or a broken text layer. */
const fewLetters = 20

/** Whether OCR may find more text on a page than its text layer has. */
export function isSparse(text: string): boolean {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return letters < fewLetters || letters < unreadable(text)
}

/** Counts characters without a letter: their fonts do not declare what the glyphs mean. */
function unreadable(text: string): number {
  return text.match(/[\ufffd\p{Co}\p{Cc}]/gu)?.filter((character) => !/\s/.test(character)).length ?? 0
}

/** The text layer of a page or the text from OCR, whichever has more letters. */
export function fuller(layer: string, read: string): string {
  const letters = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return letters(read) >= letters(layer) || unreadable(layer) > letters(layer) ? read : layer
}
