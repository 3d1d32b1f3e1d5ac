import { fold } from '#kernel/fold.ts'

/** Words of a name that are looked up. */
const maxWords = 8

const titles = new Set(['dr', 'prof', 'med', 'jur', 'ra', 'rain', 'herr', 'frau'])

/** The words of a name as they are compared, each once, in their order; without titles and single letters. */
export function nameWords(name: string): string[] {
  const words = fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !titles.has(word))
  return [...new Set(words)].slice(0, maxWords)
}
