import Big from 'big.js'
import * as z from 'zod'

/** An exact decimal. Amounts, rates and quantities are never computed in binary floating point. */
export type Decimal = Big

/** The exact value of a decimal text (`"12.50"`) or of a number, which should be whole. @throws if it is no number */
export function decimal(value: string | number): Decimal {
  return new Big(value)
}

/** The exact sum of decimals; zero if there are none. */
export function sumOf(values: Iterable<Decimal>): Decimal {
  let sum = decimal(0)
  for (const value of values) sum = sum.plus(value)
  return sum
}

/**
 * An amount of money as text with two places. A half cent is rounded away from zero, so `-x` rounds to the negative of
 * the rounded `x`. Zero has no sign.
 */
export function money(value: Decimal): string {
  return rounded(value, 2).toFixed(2)
}

/** A decimal as text with at most `places` places, without trailing zeros; a half is rounded away from zero. */
export function shortest(value: Decimal, places: number): string {
  return rounded(value, places).toFixed()
}

/** The negative of a decimal text, in the same form; zero stays as it is. */
export function negated(text: string): string {
  if (/^-?[0.]+$/.test(text)) return text.replace(/^-/, '')
  return text.startsWith('-') ? text.slice(1) : `-${text}`
}

/** A decimal text as German texts write it: `5.000,00`, `1,3`. Without the tables of a locale, which slow down a cold start. */
export function germanDecimal(text: string): string {
  const [whole = '', places] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3}){1,9}$)/g, '.')
  return places === undefined ? grouped : `${grouped},${places}`
}

/** A decimal with at most `places` places; a half is rounded away from zero. */
export function rounded(value: Decimal, places: number): Decimal {
  return value.round(places, Big.roundHalfUp)
}

/**
 * The schema of a decimal in an input: a string such as `"250"` or `"1.5"`, without a plus sign, an exponent or leading
 * zeros.
 *
 * @param limits.digits the maximum number of digits before the point
 * @param limits.places the maximum number of digits after the point
 */
export function decimalText(limits: { digits: number; places: number; signed?: boolean }) {
  const { digits, places, signed = false } = limits
  const sign = signed ? '-?' : ''
  const form = new RegExp(`^${sign}(0|[1-9]\\d{0,${digits - 1}})(\\.\\d{1,${places}})?$`)
  const message =
    `A decimal as a string, such as "${digits > 1 ? '12.5' : '0.5'}", with at most ${digits} ${digits > 1 ? 'digits' : 'digit'} before the point and ${places} after it` +
    (signed ? '.' : ', not negative.')
  return z
    .string({ error: ({ input }) => (typeof input === 'number' ? message : undefined) })
    .trim()
    .regex(form, message)
    .transform((text) => (/^-[0.]+$/.test(text) ? text.slice(1) : text))
}
