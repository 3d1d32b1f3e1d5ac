import { type PdfDictionary, PdfReference, type PdfValue } from './pdf-syntax.ts'

/** Resolves a value; undefined if the object does not exist. */
type Objects = {
  value: (value: PdfValue | undefined) => PdfValue | undefined
  dictionary: (value: PdfValue | undefined) => PdfDictionary | undefined
}

/**
 * Whether every reader shows the named letters of a font. It must be one of the reader's own fonts, and its encoding
 * must not move letters or digits. A font in the file can draw anything for each letter.
 */
export function isUsualFont(font: PdfDictionary | undefined, objects: Objects): boolean {
  if (font === undefined) return false
  const [subtype, name] = [objects.value(font.get('/Subtype')), objects.value(font.get('/BaseFont'))]
  if ((subtype !== '/Type1' && subtype !== '/TrueType') || typeof name !== 'string') return false
  if (/symbol|ding|emoji/i.test(name)) return false
  const descriptor = objects.dictionary(font.get('/FontDescriptor'))
  if (font.get('/FontDescriptor') !== undefined && descriptor === undefined) return false
  if (descriptor?.entries.some(([key]) => key.startsWith('/FontFile'))) return false
  const encoding = font.get('/Encoding')
  const [named, made] = [objects.value(encoding), objects.dictionary(encoding)]
  if (encoding === undefined) return true
  if (made === undefined) return typeof named === 'string' && usualEncodings.has(named)
  const base = objects.value(made.get('/BaseEncoding'))
  const isBaseUsual = base === undefined || (typeof base === 'string' && usualEncodings.has(base))
  return isBaseUsual && arePlacesUsual(made.get('/Differences'), objects)
}

const usualEncodings = new Set([
  '/WinAnsiEncoding',
  '/MacRomanEncoding',
  '/StandardEncoding',
  '/PDFDocEncoding',
])

/** Whether differences keep the printable ASCII characters at their codes, and at no others. */
function arePlacesUsual(differences: PdfValue | undefined, objects: Objects): boolean {
  if (differences instanceof PdfReference || differences === undefined)
    return differences === undefined || arePlacesUsual(objects.value(differences) ?? null, objects)
  if (!Array.isArray(differences)) return false
  let code = Number.NaN
  for (const difference of differences) {
    if (typeof difference === 'number') code = difference
    else if (typeof difference === 'string') {
      const place = placeOf(difference.slice(1))
      if (code > 32 && code < 127 ? place !== code : place !== undefined) return false
      code += 1
    } else return false
  }
  return true
}

/** The code of a letter, a digit or a punctuation mark. */
function placeOf(name: string): number | undefined {
  if (/^[A-Za-z]$/.test(name)) return name.charCodeAt(0)
  const digit = digits.indexOf(name)
  return digit >= 0 ? 0x30 + digit : marks[name]
}

const digits = 'zero one two three four five six seven eight nine'.split(' ')
const marks: Record<string, number> = Object.fromEntries(
  'exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus comma hyphen period slash'
    .split(' ')
    .map((name, at) => [name, 0x21 + at] as const)
    .concat(
      'colon semicolon less equal greater question at'.split(' ').map((name, at) => [name, 0x3a + at]),
      'bracketleft backslash bracketright asciicircum underscore grave'
        .split(' ')
        .map((name, at) => [name, 0x5b + at]),
      'braceleft bar braceright asciitilde'.split(' ').map((name, at) => [name, 0x7b + at]),
    ),
)
