import * as z from 'zod'
import { hasTooManyMarks, maxMarks } from './composed.ts'
import { once } from './once.ts'
import { refuse } from './refuse.ts'

/**
 * Text as people type it: trimmed (G8) and composed (NFC), so that texts that look the same are the same. It is
 * well-formed Unicode of at most `maxLength` characters, with at most 30 combining marks on one of them. It has no
 * control characters except tab and line breaks. Text that is far too long is refused before any other check.
 */
export function text(maxLength: number) {
  return checked(maxLength, (value) => faultOf(value, maxLength)).meta({ maxLength })
}

/** Text with at least one visible character. */
export function visibleText(maxLength: number) {
  return checked(maxLength, (value) =>
    isVisible(value) ? faultOf(value, maxLength) : 'This must not be empty.',
  ).meta({ minLength: 1, maxLength })
}

/**
 * Whether a text has a visible character: a letter, number, punctuation mark or symbol. Characters that are drawn blank
 * do not count, such as the Hangul fillers and the Braille blank.
 */
export function isVisible(value: string): boolean {
  return /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]/v.test(value)
}

/** Text of one line with at least one visible character. */
export function line(maxLength: number) {
  return z
    .string()
    .check((context) => {
      if (/[\n\r\u2028\u2029]/.test(context.value)) refuse(context, 'A line break is not allowed here.')
    })
    .pipe(visibleText(maxLength))
    .meta({ minLength: 1, maxLength })
}

function checked(maxLength: number, fault: (value: string) => string | undefined) {
  const refusing =
    (faultIn: (value: string) => string | undefined) => (context: z.core.ParsePayload<string>) => {
      const message = faultIn(context.value)
      if (message !== undefined) refuse(context, message)
    }
  return z
    .string()
    .trim()
    .check(refusing((value) => rawFaultOf(value, maxLength)))
    .normalize('NFC')
    .check(refusing(fault))
}

/**
 * The maximum number of code units in the unnormalised form of one NFC character: a Greek letter with three marks, or
 * another letter with two.
 */
const maxUnitsPerCharacter = 4

/** A fault to find before a text is normalised: normalising takes time that grows with the square of a run of marks. */
function rawFaultOf(value: string, maxLength: number): string | undefined {
  if (value.length > maxLength * maxUnitsPerCharacter) return `At most ${maxLength} characters.`
  if (hasTooManyMarks(value)) return `At most ${maxMarks} combining marks on one character.`
  return undefined
}

function faultOf(value: string, maxLength: number): string | undefined {
  if (value.length > maxLength && lengthOf(value) > maxLength) return `At most ${maxLength} characters.`
  if (!value.isWellFormed() || value.includes('\ufffd')) return 'This is not valid Unicode text.'
  if (/(?![\t\n\r])\p{Cc}/u.test(value)) return 'Control characters are not allowed.'
  return undefined
}

/** The number of characters: an emoji is one, although JavaScript counts two. */
function lengthOf(value: string): number {
  return [...value].length
}

/** The first characters of a text, at most `longest`. */
export function beginningOf(value: string, longest: number): string {
  return [...value].slice(0, longest).join('')
}

/** The text without halves of characters (lone surrogates). They remain where a text was cut between UTF-16 units. */
export function wholeCharacters(value: string): string {
  return value.replace(/\p{Surrogate}/gu, '')
}

/**
 * A name with at least one visible character: at most 500 characters (G8). Soft hyphens and zero-width spaces, which
 * programs insert for layout, are removed, and ligatures are spelled out. So a search finds the name as people type it.
 */
export const nameText = once(() =>
  z.string().overwrite(withoutLayout).pipe(visibleText(500)).meta({ minLength: 1, maxLength: 500 }),
)

/** A text without soft hyphens and zero-width spaces, and with letters instead of ligatures. */
export function withoutLayout(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKD'))
}

/** A free label such as a role, a case type or a Dezernat: 1 to 100 characters (C1). */
export const labelText = once(() => visibleText(100))

/** A description: at most 20 000 characters (G8). */
export const descriptionText = once(() => text(20_000))

/** Any text, unchanged. For answers: their texts were checked when they were received. */
export const Text = z.string()

/** Any text, or null. */
export const NullableText = Text.nullable()

/** A moment in an answer: ISO 8601, UTC, milliseconds (G6). */
export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'ISO 8601, UTC, with milliseconds.' })

/**
 * A moment in an input: ISO 8601 with `Z` or an offset, seconds optional; without either it is refused (G6).
 * Reads as UTC, in the years 0001 to 9999.
 */
export function instantText() {
  const written = z.string().meta({ format: 'date-time' })
  const completed = z.transform((value: string) => value.trim().replace(/(T\d\d:\d\d)(?=Z|[+-])/, '$1:00'))
  const iso = z.iso.datetime({
    offset: true,
    error: 'This is not an ISO 8601 timestamp with Z or an offset.',
  })
  const time = iso
    .transform((value) => new Date(value).getTime())
    .refine((at) => at >= earliest && at <= latest, 'Only the years 0001 to 9999 are known.')
  return written
    .pipe(completed)
    .pipe(time)
    .transform((at) => new Date(at).toISOString())
}

const earliest = Date.parse('0001-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** The text without characters that are never drawn, such as direction marks and zero-width spaces. */
export function withoutInvisible(value: string): string {
  return value.replace(/\p{Cf}/gu, '')
}

/** The text without characters that change the direction of the text after them: a name could look like another one. */
export function withoutDirectionChanges(value: string): string {
  return value.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

/**
 * An e-mail address, also of a domain with umlauts: something, `@`, and a name with a dot; at most 320 characters.
 * Invisible characters, such as the direction marks that Windows copies with an address, are removed.
 */
export function emailText() {
  const address = text(320).refine(
    (value) => /^[^\s@<>()",;:]+@[^\s@<>()",;:.]+(\.[^\s@<>()",;:.]+)+$/u.test(value),
    'This is not an e-mail address.',
  )
  return z.string().overwrite(withoutInvisible).pipe(address).meta({ maxLength: 320, format: 'idn-email' })
}
