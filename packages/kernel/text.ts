import * as z from 'zod'

/**
 * Text as people type it: trimmed (G8), at most `longest` characters, well-formed Unicode, no control
 * characters but tab and line breaks.
 */
export function text(longest: number) {
  return z
    .string()
    .trim()
    .refine((value) => lengthOf(value) <= longest, `At most ${longest} characters.`)
    .refine((value) => value.isWellFormed() && !value.includes('\ufffd'), 'This is not valid Unicode text.')
    .refine((value) => !/(?![\t\n\r])\p{Cc}/u.test(value), 'Control characters are not allowed.')
    .meta({ maxLength: longest })
}

/** The number of characters: an emoji is one, though JavaScript counts two. */
function lengthOf(value: string): number {
  return [...value].length
}

/** The first characters of a text, at most so many. */
export function beginningOf(value: string, longest: number): string {
  return [...value].slice(0, longest).join('')
}

/** A name, of which at least one character must remain: at most 500 (G8). */
export function nameText() {
  return text(500).min(1, 'This must not be empty.')
}

/** A free label such as a role, a case type or a Dezernat: 1 to 100 characters (C1). */
export function labelText() {
  return text(100).min(1, 'This must not be empty.')
}

/** A description: at most 20 000 characters (G8). */
export function descriptionText() {
  return text(20_000)
}

/** A moment in an answer: ISO 8601, UTC, milliseconds (G6). */
export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601, UTC, with milliseconds.' })

/** A moment in an input: ISO 8601 with `Z` or an offset; without either it is refused (G6). Reads as UTC. */
export function instantText() {
  return z.iso.datetime({ offset: true }).transform((value) => new Date(value).toISOString())
}
