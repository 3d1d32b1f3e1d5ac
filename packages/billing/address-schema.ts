import * as z from 'zod'
import { text } from '#kernel/text.ts'

/**
 * A VAT identification number: two letters for the country, then up to twelve letters and digits. In Germany these are
 * nine digits (§ 27a UStG). Ids of Greece begin with EL, not GR (Art. 215 MwStSystRL). Spaces and dots are removed. The
 * service does not check that the number exists.
 */
export const vatId = z.lazy(() =>
  text(50)
    .transform((given) => given.replace(/[\s.]/g, '').toUpperCase().replace(/^GR/, 'EL'))
    .pipe(
      z
        .string()
        .regex(
          /^(DE\d{9}|(?!DE)[A-Z]{2}[0-9A-Z+*]{2,12})$/,
          'A VAT identification number, such as DE123456789.',
        ),
    )
    .meta({ description: '`DE123456789`' }),
)

/** Whether a VAT id is of another country of the EU (Greece: EL; the ids of Northern Ireland are for goods only). */
export function isVatIdOfOtherCountry(vatId: string | null): boolean {
  return vatId !== null && otherVatCountries.has(vatId.trim().slice(0, 2))
}

const otherVatCountries = new Set(
  'AT BE BG CY CZ DK EE EL ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
)

/** An IBAN (ISO 13616) with correct check digits; a German one has 22 characters. Spaces are removed. */
export const iban = z.lazy(() =>
  text(100)
    .transform((given) => given.replace(/\s/g, '').toUpperCase())
    .pipe(
      z
        .string()
        .regex(/^(DE\d{20}|(?!DE)[A-Z]{2}\d{2}[0-9A-Z]{11,30})$/, 'An IBAN, such as DE02120300000000202051.')
        .refine(hasRightCheckDigits, 'The check digits of this IBAN are wrong. Is a character mistyped?'),
    )
    .meta({ description: '`DE02120300000000202051`. Spaces are removed.' }),
)

/**
 * Checks an IBAN without spaces by ISO 7064, MOD 97-10. The first four characters move to the end, and each letter
 * becomes two digits. Divided by 97, the resulting number must leave the remainder 1.
 */
export function hasRightCheckDigits(value: string): boolean {
  const digits = (value.slice(4) + value.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}
