import { composed } from '#kernel/composed.ts'

/**
 * Normalises the text of a file to characters that people type, in NFC. It replaces ligatures (ﬁ → fi), removes soft
 * hyphens and other invisible characters, and normalises hyphens and line breaks. It keeps everything else, such as §
 * and „“.
 */
export function cleanText(text: string): string {
  return composed(text)
    .replace(/\r\n?|[\v\u0085\u2028]/g, '\n')
    .replace(/\u2029/g, '\n\n')
    .replace(/\u00ad[ \t]*\n[ \t]*(?=\p{Ll})/gu, '')
    .replace(/[\ufb00-\ufb06]/g, (ligature) => ligatures[ligature] ?? ligature)
    .replace(/[\u2010\u2011]/g, '-')
    .replace(invisible, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
}

const ligatures: Record<string, string> = {
  '\ufb00': 'ff',
  '\ufb01': 'fi',
  '\ufb02': 'fl',
  '\ufb03': 'ffi',
  '\ufb04': 'ffl',
  '\ufb05': 'st',
  '\ufb06': 'st',
}

/** Soft hyphen, zero-width space, joiners, byte order mark, and all controls except tab, line feed and form feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes them
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g

/**
 * Joins words that were hyphenated at the end of a line: `Verfah-⏎ren` becomes `Verfahren`. A hyphen that belongs to
 * the word stays: before a capital or a digit (`Müller-⏎Lüdenscheidt`), and after an abbreviation in capitals
 * (`EU-⏎rechtlich`). It also stays before a conjunction (`Vor-⏎und Nachteile`); the line break then becomes a space.
 */
export function joinBrokenWords(text: string): string {
  return text
    .replace(
      /(?<=[\p{L}\p{N}]-)[ \t]*\n[ \t]*(?=(?:und|oder|bzw|sowie|wie|bis|als|noch|statt)(?![\p{L}-]))/gu,
      ' ',
    )
    .replace(/(?<=(?:^|[^\p{L}\p{N}])\p{Lu}{2,}-)[ \t]*\n[ \t]*(?=\p{Ll})/gu, '')
    .replace(/(?<=[\p{L}\p{N}]-)[ \t]*\n[ \t]*(?=[\p{Lu}\p{N}])/gu, '')
    .replace(/(?<=\p{L}{2})-[ \t]*\n[ \t]*(?=\p{Ll})/gu, '')
}

/** Counts words as D8 defines them. */
export function countWords(text: string): number {
  return text.match(words)?.length ?? 0
}

/** A word of more than a million characters counts as several: without this limit the expression exhausts the stack. */
const words = /[\p{L}\p{N}][\p{L}\p{N}'’-]{0,1000000}/gu
