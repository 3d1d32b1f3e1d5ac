import iconv from 'iconv-lite'

/** Encodes text in Windows-1252, after replacing characters as `inWindows1252` does. Each character is one byte. */
export function windows1252(text: string): Uint8Array {
  return iconv.encode(inWindows1252(text), encoding)
}

/**
 * Replaces the characters of a text that Windows-1252 does not have. Then the text has one byte per character. A
 * letter loses its accents (`Kovačević` → `Kovacevic`), a hyphen becomes a plain hyphen, and any other such character
 * becomes `?`.
 */
export function inWindows1252(text: string): string {
  return text.normalize('NFC').replaceAll(marks, '').replaceAll(nonAscii, replacementOf)
}

const encoding = 'win1252'

const nonAscii = /[^\0-\x7f]/gu

/** Combining accents. After NFC, these are only the accents that form no composed letter. After NFKD, these are all. */
const marks = /\p{M}/gu

/** The characters that the encoding has. */
const encodable = new Set(iconv.decode(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), encoding))
encodable.delete('\uFFFD')

/**
 * Replacements of letters in names, and of hyphens, for which Unicode has no decomposition into encodable characters.
 */
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

function replacementOf(character: string): string {
  if (encodable.has(character)) return character
  const plain = plainCharacters[character] ?? character.normalize('NFKD').replaceAll(marks, '')
  return plain !== '' && Array.from(plain).every((letter) => encodable.has(letter)) ? plain : '?'
}
