import * as z from 'zod'
import { text } from '#kernel/text.ts'

/** A country by its code, in capitals. */
export const countryCode = text(10)
  .toUpperCase()
  .refine((code) => countries.has(code), 'A country code of ISO 3166-1 alpha-2, such as DE.')
  .meta({ description: 'ISO 3166-1 alpha-2, `DE`.' })

/**
 * A VAT identification number by its form: the country's letters, then up to twelve letters and digits, in Germany nine
 * digits (§ 27a UStG). Spaces and dots are left out.
 */
export const vatId = text(50)
  .transform((given) => given.replace(/[\s.]/g, '').toUpperCase())
  .pipe(
    z
      .string()
      .regex(
        /^(DE\d{9}|(?!DE)[A-Z]{2}[0-9A-Z+*]{2,12})$/,
        'A VAT identification number, such as DE123456789.',
      ),
  )
  .meta({ description: '`DE123456789`' })

/** An IBAN (ISO 13616) whose check digits are right; a German one has 22 characters. Spaces are left out. */
export const iban = text(100)
  .transform((given) => given.replace(/\s/g, '').toUpperCase())
  .pipe(
    z
      .string()
      .regex(/^(DE\d{20}|(?!DE)[A-Z]{2}\d{2}[0-9A-Z]{11,30})$/, 'An IBAN, such as DE02120300000000202051.')
      .refine(hasRightCheckDigits, 'The check digits of this IBAN are wrong. Is a character mistyped?'),
  )
  .meta({ description: '`DE02120300000000202051`; spaces are left out.' })

/** Of an IBAN without spaces. ISO 7064, MOD 97-10: the first four characters moved to the end, letters as two digits, leaves 1. */
export function hasRightCheckDigits(value: string): boolean {
  const digits = (value.slice(4) + value.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

/** ISO 3166-1 alpha-2, as of 2026. */
const countries = new Set(
  `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
  BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
  ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
  HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
  LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
  NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
  SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
  UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
  `
    .trim()
    .split(/\s+/),
)
