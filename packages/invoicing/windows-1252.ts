import iconv from 'iconv-lite'

/** Encodes text in Windows-1252, one byte per character. Other characters are replaced as in `inWindows1252`. */
export function windows1252(text: string): Uint8Array {
  return iconv.encode(inWindows1252(text), encoding)
}

/**
 * The text in the characters of Windows-1252, so that it can be measured and cut. A letter outside the encoding loses
 * its accents (`Kovačević` → `Kovacevic`), a hyphen becomes a plain hyphen, and every other character outside it
 * becomes `?`.
 */
export function inWindows1252(text: string): string {
  return text.normalize('NFC').replaceAll(marks, '').replaceAll(beyondAscii, represented)
}

const encoding = 'win1252'

const beyondAscii = /[^\0-\x7f]/gu

/** Accents that belong to no composed letter. */
const marks = /\p{M}/gu

const characters = new Set(
  iconv.decode(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), encoding),
)
characters.delete('\uFFFD')

/** Letters in names, and hyphens, that Unicode does not decompose into characters of the encoding. */
const plainCharacters: Record<string, string> = {
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  ħ: 'h',
  Ħ: 'H',
  ẞ: 'SS',
  '\u2010': '-',
  '\u2011': '-',
}

function represented(character: string): string {
  if (characters.has(character)) return character
  const plain = plainCharacters[character] ?? character.normalize('NFKD').replaceAll(marks, '')
  return plain !== '' && Array.from(plain).every((letter) => characters.has(letter)) ? plain : '?'
}
