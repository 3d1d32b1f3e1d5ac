import { type Decimal, decimal } from '#kernel/decimal.ts'
import { least } from './reckoned-fee.ts'

/** A fee by value of the Vergütungsverzeichnis (Anlage 1 RVG). */
export type Vv = {
  name: string
  rates: Rates
  /** Fees of one kind are one fee: for one value they exclude each other, for parts § 15 Abs. 3 RVG limits them. */
  kind?: string
  /** A Verfahrens- or Geschäftsgebühr, which Nr. 1008 raises. */
  raised?: true
  /** A Terminsgebühr. */
  hearing?: true
  credited?: Credit
}

/** A fixed rate, a range, or the rate of another fee. Without a usual rate the caller names one. */
export type Rates = string | Range | RateOfOther

export type Range = { least: string; most: string; usual?: string; provision: string }

/** The rate of the Verfahrens- or Terminsgebühr that this number refers to, or a half of it, at most `most`. */
export type RateOfOther = {
  of: 'Verfahrensgebühr' | 'Terminsgebühr'
  shares: readonly string[]
  most?: string
  provision: string
}

/**
 * How a fee is credited on a later one: half of it, at a rate of at most 0.75, or the whole fee. `onto`: only on these
 * numbers; otherwise on a Verfahrensgebühr of Teil 3.
 */
export type Credit = { share: 'half' | 'whole'; onto?: readonly string[]; provision: string }

const half = { share: 'half', provision: 'Vorbem. 3 Abs. 4 VV RVG' } as const
const whole = (provision: string, onto: string): Credit => ({
  share: 'whole',
  onto: onto.split(' '),
  provision,
})
const lawsuit = '3100 3101'
const appeal = '3200 3201'
const revision = '3206 3207 3208 3209'
const examined = whole(
  'Anm. zu Nr. 2100 VV RVG',
  `${appeal} ${revision} 3500 3502 3503 3504 3505 3506 3507 3508 3509`,
)

/** A Verfahrensgebühr or Geschäftsgebühr. */
const procedure = (name: string, rates: Rates, kind?: string, credited?: Credit): Vv => ({
  ...other(name, rates, kind),
  raised: true,
  ...(credited ? { credited } : {}),
})
const hearing = (name: string, rates: Rates, kind?: string): Vv => ({
  ...other(name, rates, kind),
  hearing: true,
})
function other(name: string, rates: Rates, kind?: string): Vv {
  return { name, rates, ...(kind ? { kind } : {}) }
}

/**
 * The fees by value of Teil 1, 2 and 3, except Nr. 1008, 1009 and 3339. Their rates are the same in the texts of the
 * statute of 2018, 2021 and 2025. Nr. 1000 has the rate of its first case; the 0.7 of a Zahlungsvereinbarung is left
 * out.
 */
export const vvFees: Readonly<Record<string, Vv>> = {
  1000: other('Einigungsgebühr', '1.5', 'Einigung'),
  1001: other('Aussöhnungsgebühr', '1.5', 'Aussöhnung'),
  1002: other('Erledigungsgebühr', '1.5', 'Erledigung'),
  1003: other('Einigungsgebühr, anhängiger Gegenstand', '1.0', 'Einigung'),
  1004: other('Einigungsgebühr, im Rechtsmittel anhängiger Gegenstand', '1.3', 'Einigung'),
  1010: other('Zusatzgebühr für besonders umfangreiche Beweisaufnahmen', '0.3'),
  2100: {
    ...other('Prüfung der Erfolgsaussicht eines Rechtsmittels', range('0.5', '1.0'), 'Prüfung'),
    credited: examined,
  },
  2101: {
    ...other('Prüfung der Erfolgsaussicht mit schriftlichem Gutachten', '1.3', 'Prüfung'),
    credited: examined,
  },
  2200: procedure('Geschäftsgebühr, Einvernehmen', as('Verfahrensgebühr', '2200'), 'Einvernehmen'),
  2201: procedure(
    'Geschäftsgebühr, Einvernehmen nicht hergestellt',
    range('0.1', '0.5', undefined, 'Nr. 2201 VV RVG'),
    'Einvernehmen',
  ),
  2300: procedure('Geschäftsgebühr', range('0.5', '2.5', '1.3'), 'Geschäft', half),
  2301: procedure('Geschäftsgebühr, Schreiben einfacher Art', '0.3', 'Geschäft', half),
  2303: procedure('Geschäftsgebühr, Güteverfahren', '1.5', undefined, half),
  3100: procedure('Verfahrensgebühr', '1.3', 'Verfahren I'),
  3101: procedure('Verfahrensgebühr, vorzeitige Beendigung', '0.8', 'Verfahren I'),
  3104: hearing('Terminsgebühr', '1.2', 'Termin I'),
  3105: hearing('Terminsgebühr, Säumnis', '0.5', 'Termin I'),
  3200: procedure('Verfahrensgebühr, Berufung', '1.6', 'Verfahren II'),
  3201: procedure('Verfahrensgebühr, Berufung, vorzeitige Beendigung', '1.1', 'Verfahren II'),
  3202: hearing('Terminsgebühr, Berufung', '1.2', 'Termin II'),
  3203: hearing('Terminsgebühr, Berufung, Säumnis', '0.5', 'Termin II'),
  3206: procedure('Verfahrensgebühr, Revision', '1.6', 'Verfahren III'),
  3207: procedure('Verfahrensgebühr, Revision, vorzeitige Beendigung', '1.1', 'Verfahren III'),
  3208: procedure('Verfahrensgebühr, Revision beim BGH', '2.3', 'Verfahren III'),
  3209: procedure('Verfahrensgebühr, Revision beim BGH, vorzeitige Beendigung', '1.8', 'Verfahren III'),
  3210: hearing('Terminsgebühr, Revision', '1.5', 'Termin III'),
  3211: hearing('Terminsgebühr, Revision, Säumnis', '0.8', 'Termin III'),
  3300: procedure('Verfahrensgebühr, besondere erstinstanzliche Verfahren', '1.6', '3300'),
  3301: procedure('Verfahrensgebühr nach Nr. 3300, vorzeitige Beendigung', '1.0', '3300'),
  3305: procedure(
    'Verfahrensgebühr, Mahnbescheid',
    '1.0',
    'Mahnbescheid',
    whole('Anm. zu Nr. 3305 VV RVG', lawsuit),
  ),
  3306: procedure(
    'Verfahrensgebühr, Mahnbescheid, vorzeitige Beendigung',
    '0.5',
    'Mahnbescheid',
    whole('Anm. zu Nr. 3305 VV RVG', lawsuit),
  ),
  3307: procedure(
    'Verfahrensgebühr, Vertretung des Antragsgegners im Mahnverfahren',
    '0.5',
    undefined,
    whole('Anm. zu Nr. 3307 VV RVG', lawsuit),
  ),
  3308: procedure('Verfahrensgebühr, Vollstreckungsbescheid', '0.5'),
  3309: procedure('Verfahrensgebühr, Zwangsvollstreckung', '0.3'),
  3310: hearing('Terminsgebühr, Zwangsvollstreckung', '0.3'),
  3311: procedure('Verfahrensgebühr, Zwangsversteigerung und Zwangsverwaltung', '0.4'),
  3312: hearing('Terminsgebühr, Zwangsversteigerung', '0.4'),
  3313: procedure('Verfahrensgebühr, Vertretung des Schuldners im Eröffnungsverfahren', '1.0', 'Schuldner'),
  3314: procedure('Verfahrensgebühr, Vertretung des Gläubigers im Eröffnungsverfahren', '0.5', 'Gläubiger'),
  3315: procedure('Verfahrensgebühr nach Nr. 3313, Schuldenbereinigungsplan', '1.5', 'Schuldner'),
  3316: procedure('Verfahrensgebühr nach Nr. 3314, Schuldenbereinigungsplan', '1.0', 'Gläubiger'),
  3317: procedure('Verfahrensgebühr, Insolvenzverfahren', '1.0', 'Insolvenz'),
  3318: procedure('Verfahrensgebühr, Insolvenzplan', '1.0', 'Insolvenzplan'),
  3319: procedure('Verfahrensgebühr, Insolvenzplan des vertretenen Schuldners', '3.0', 'Insolvenzplan'),
  3320: procedure('Verfahrensgebühr, Anmeldung einer Insolvenzforderung', '0.5', 'Insolvenz'),
  3321: procedure('Verfahrensgebühr, Versagung oder Widerruf der Restschuldbefreiung', '0.5'),
  3322: procedure('Verfahrensgebühr, Zulassung der Zwangsvollstreckung (SVertO)', '0.5'),
  3323: procedure('Verfahrensgebühr, Aufhebung von Vollstreckungsmaßregeln (SVertO)', '0.5'),
  3324: procedure('Verfahrensgebühr, Aufgebotsverfahren', '1.0', '3337'),
  3325: procedure('Verfahrensgebühr, Zulassungs- und Freigabeverfahren (AktG, UmwG)', '0.75', '3337'),
  3326: procedure('Verfahrensgebühr, Schiedssachen vor dem Arbeitsgericht', '0.75', '3337'),
  3327: procedure('Verfahrensgebühr, schiedsrichterliches Verfahren', '0.75', '3337'),
  3328: procedure('Verfahrensgebühr, Einstellung der Zwangsvollstreckung', '0.5'),
  3329: procedure('Verfahrensgebühr, Vollstreckbarerklärung eines Urteilsteils', '0.5'),
  3330: procedure('Verfahrensgebühr, Gehörsrüge', as('Verfahrensgebühr', '3330', '0.5')),
  3331: hearing('Terminsgebühr, Gehörsrüge', as('Terminsgebühr', '3331', '0.5')),
  3332: hearing('Terminsgebühr, Verfahren nach Nr. 3324 bis 3329', '0.5'),
  3333: procedure('Verfahrensgebühr, Verteilungsverfahren', '0.4'),
  3334: procedure('Verfahrensgebühr, Räumungsfrist', '1.0', '3337'),
  3335: procedure('Verfahrensgebühr, Prozesskostenhilfe', as('Verfahrensgebühr', '3335', '1.0'), '3337'),
  3337: procedure(
    'Verfahrensgebühr nach Nr. 3324 bis 3327, 3334, 3335, vorzeitige Beendigung',
    as('Verfahrensgebühr', '3337', '0.5'),
    '3337',
  ),
  3338: procedure('Verfahrensgebühr, Anmeldung zum Musterverfahren', '0.8'),
  3400: procedure('Verfahrensgebühr, Verkehrsanwalt', as('Verfahrensgebühr', '3400', '1.0'), '3405'),
  3401: procedure(
    'Verfahrensgebühr, Vertretung in einem Termin',
    as('Verfahrensgebühr', '3401', undefined, ['0.5']),
    '3405',
  ),
  3402: hearing('Terminsgebühr, Vertretung in einem Termin', as('Terminsgebühr', '3402')),
  3403: procedure('Verfahrensgebühr, Einzeltätigkeit', '0.8', 'Einzeltätigkeit'),
  3404: procedure('Verfahrensgebühr, Schreiben einfacher Art', '0.3', 'Einzeltätigkeit'),
  3405: procedure(
    'Verfahrensgebühr, vorzeitige Beendigung',
    as('Verfahrensgebühr', '3405', '0.5', ['1', '0.5']),
    '3405',
  ),
  3500: procedure('Verfahrensgebühr, Beschwerde und Erinnerung', '0.5', 'Beschwerde'),
  3502: procedure('Verfahrensgebühr, Rechtsbeschwerde', '1.0', 'Rechtsbeschwerde'),
  3503: procedure('Verfahrensgebühr, Rechtsbeschwerde, vorzeitige Beendigung', '0.5', 'Rechtsbeschwerde'),
  3504: procedure(
    'Verfahrensgebühr, Nichtzulassung der Berufung',
    '1.6',
    '3504',
    whole('Anm. zu Nr. 3504 VV RVG', appeal),
  ),
  3505: procedure(
    'Verfahrensgebühr, Nichtzulassung der Berufung, vorzeitige Beendigung',
    '1.0',
    '3504',
    whole('Anm. zu Nr. 3504 VV RVG', appeal),
  ),
  3506: procedure(
    'Verfahrensgebühr, Nichtzulassung der Revision',
    '1.6',
    '3506',
    whole('Anm. zu Nr. 3506 VV RVG', revision),
  ),
  3507: procedure(
    'Verfahrensgebühr, Nichtzulassung der Revision, vorzeitige Beendigung',
    '1.1',
    '3506',
    whole('Anm. zu Nr. 3506 VV RVG', revision),
  ),
  3508: procedure(
    'Verfahrensgebühr, Nichtzulassung der Revision beim BGH',
    '2.3',
    '3506',
    whole('Anm. zu Nr. 3506 VV RVG', revision),
  ),
  3509: procedure(
    'Verfahrensgebühr, Nichtzulassung der Revision beim BGH, vorzeitige Beendigung',
    '1.8',
    '3506',
    whole('Anm. zu Nr. 3506 VV RVG', revision),
  ),
  3510: procedure('Verfahrensgebühr, Beschwerde vor dem Bundespatentgericht', '1.3', '3510'),
  3513: hearing('Terminsgebühr, Beschwerde und Erinnerung', '0.5', 'Termin, Beschwerde'),
  3514: hearing('Terminsgebühr, Beschwerde im Eilverfahren', '1.2', 'Termin, Beschwerde'),
  3516: hearing('Terminsgebühr, Rechtsbeschwerde, Nichtzulassung, Bundespatentgericht', '1.2', '3516'),
}

/** Numbers whose amount does not follow from a value, at least not from the value alone (§ 3 RVG). */
export const notByValue: ReadonlySet<string> = new Set(
  '1005 1006 2102 2103 2302 3102 3106 3204 3205 3212 3213 3406 3501 3511 3512 3515 3517 3518'.split(' '),
)

/** A Verfahrensgebühr of Teil 3, on which an earlier fee is credited. */
export function takesCredit(vv: string): boolean {
  return vv.startsWith('3') && vvFees[vv]?.raised === true
}

/** The possible rates of a fee that takes its rate from another fee, ascending. */
export function ratesOf({ of, shares, most = '9' }: RateOfOther): Decimal[] {
  const fees = Object.entries(vvFees).filter(([vv, fee]) =>
    of === 'Terminsgebühr' ? fee.hearing : takesCredit(vv),
  )
  const rates = fees.flatMap(([, fee]) =>
    typeof fee.rates === 'string'
      ? shares.map((share) => least(decimal(fee.rates as string).times(share), decimal(most)))
      : [],
  )
  return [...new Map(rates.map((rate) => [rate.toFixed(), rate])).values()].toSorted((a, b) => a.cmp(b))
}

function range(from: string, most: string, usual?: string, provision = '§ 14 Abs. 1 RVG'): Range {
  return { least: from, most, provision, ...(usual ? { usual } : {}) }
}

function as(of: RateOfOther['of'], vv: string, most?: string, shares = ['1']): RateOfOther {
  return { of, shares, provision: `Nr. ${vv} VV RVG`, ...(most ? { most } : {}) }
}
