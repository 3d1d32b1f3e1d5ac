import { fold } from '../fold.ts'

/** Of a name so many words are looked up. */
const maxWords = 8

/** The words of a name as they are compared, each once, in their order; without single letters. */
export function nameWords(name: string): string[] {
  const words = fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1)
  return [...new Set(words)].slice(0, maxWords)
}
