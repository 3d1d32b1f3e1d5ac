import { beginningOf } from '#kernel/text.ts'

const ending = ' (signiert).pdf'

/** Names have at most so many characters (D1). */
const maxCharacters = 255

/** The name of a sealed copy: `Vollmacht.docx` becomes `Vollmacht (signiert).pdf`. */
export function sealedFilename(filename: string): string {
  const stem = filename.replace(/(?<=.)\.[A-Za-z0-9]{1,5}$/, '')
  return beginningOf(stem, maxCharacters - ending.length) + ending
}
