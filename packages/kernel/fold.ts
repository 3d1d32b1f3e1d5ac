import { composed } from './composed.ts'

/**
 * Converts text into the form that a search compares (C3). It is in lower case, with `ä ö ü ß` as `ae oe ue ss` and
 * other letters without accents and strokes. Every apostrophe is `'`, every dash and slash is `-`, and one space stands
 * between words.
 */
export function fold(text: string): string {
  return composed(text)
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => umlauts[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[ıłøđðæœþ]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[’‘‛ʼʻʹ′´`＇]/g, "'")
    .replace(/[\p{Pd}−/⁄∕／\\]/gu, '-')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ')
}

const umlauts: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' }

/** Letters that Unicode does not decompose, and how people write them on keyboards without them. */
const plainLetters: Record<string, string> = {
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}
