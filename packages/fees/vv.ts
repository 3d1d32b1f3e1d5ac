/** A fee by value of the Vergütungsverzeichnis (Anlage 1 RVG). */
export type Vv = {
  name: string
  rates: Rates
  /** Fees of one kind are one fee: for one value they exclude each other, for parts § 15 Abs. 3 RVG limits them. */
  kind?: string
  /** A Verfahrens- or Geschäftsgebühr, which Nr. 1008 raises. */
  raised?: true
  /** It is credited on a following Verfahrensgebühr: by half, at most 0.75, or whole. */
  credited?: { share: 'half' | 'whole'; provision: string }
}

/** A fixed rate, or a range. Without a usual rate the caller names one. */
export type Rates = string | { least: string; most: string; usual?: string; provision: string }

const frame = '§ 14 Abs. 1 RVG'
const half = { share: 'half', provision: 'Vorbem. 3 Abs. 4 VV RVG' } as const
const whole = (provision: string) => ({ share: 'whole', provision }) as const

/** A Verfahrensgebühr or Geschäftsgebühr. */
const procedure = (name: string, rates: Rates, kind?: string): Vv => ({
  name,
  rates,
  raised: true,
  ...(kind ? { kind } : {}),
})
const other = (name: string, rates: Rates, kind?: string): Vv => ({ name, rates, ...(kind ? { kind } : {}) })

/**
 * The fees by value of Teil 1, 2 and 3. The fixed rates were compared with the statute's text of August 2026, and in part
 * with that of 2021. Nr. 3335, 3400 to 3402 and 3405 name other fees: their ranges follow from those, and Nr. 3400 is at
 * most 1.0. Nr. 1000 is its first case; the 0.7 of a Zahlungsvereinbarung is left out.
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
    credited: whole('Anm. zu Nr. 2100 VV RVG'),
  },
  2101: {
    ...other('Prüfung der Erfolgsaussicht mit schriftlichem Gutachten', '1.3', 'Prüfung'),
    credited: whole('Anm. zu Nr. 2100 VV RVG'),
  },
  2300: { ...procedure('Geschäftsgebühr', range('0.5', '2.5', '1.3'), 'Geschäft'), credited: half },
  2301: { ...procedure('Geschäftsgebühr, Schreiben einfacher Art', '0.3', 'Geschäft'), credited: half },
  2303: { ...procedure('Geschäftsgebühr, Güteverfahren', '1.5'), credited: half },
  3100: procedure('Verfahrensgebühr', '1.3', 'Verfahren I'),
  3101: procedure('Verfahrensgebühr, vorzeitige Beendigung', '0.8', 'Verfahren I'),
  3104: other('Terminsgebühr', '1.2', 'Termin I'),
  3105: other('Terminsgebühr, Säumnis', '0.5', 'Termin I'),
  3200: procedure('Verfahrensgebühr, Berufung', '1.6', 'Verfahren II'),
  3201: procedure('Verfahrensgebühr, Berufung, vorzeitige Beendigung', '1.1', 'Verfahren II'),
  3202: other('Terminsgebühr, Berufung', '1.2', 'Termin II'),
  3203: other('Terminsgebühr, Berufung, Säumnis', '0.5', 'Termin II'),
  3206: procedure('Verfahrensgebühr, Revision', '1.6', 'Verfahren III'),
  3207: procedure('Verfahrensgebühr, Revision, vorzeitige Beendigung', '1.1', 'Verfahren III'),
  3208: procedure('Verfahrensgebühr, Revision beim BGH', '2.3', 'Verfahren III'),
  3209: procedure('Verfahrensgebühr, Revision beim BGH, vorzeitige Beendigung', '1.8', 'Verfahren III'),
  3210: other('Terminsgebühr, Revision', '1.5', 'Termin III'),
  3211: other('Terminsgebühr, Revision, Säumnis', '0.8', 'Termin III'),
  3300: procedure('Verfahrensgebühr, besondere erstinstanzliche Verfahren', '1.6', '3300'),
  3301: procedure('Verfahrensgebühr nach Nr. 3300, vorzeitige Beendigung', '1.0', '3300'),
  3305: {
    ...procedure('Verfahrensgebühr, Mahnbescheid', '1.0', 'Mahnbescheid'),
    credited: whole('Anm. zu Nr. 3305 VV RVG'),
  },
  3306: {
    ...procedure('Verfahrensgebühr, Mahnbescheid, vorzeitige Beendigung', '0.5', 'Mahnbescheid'),
    credited: whole('Anm. zu Nr. 3305 VV RVG'),
  },
  3307: {
    ...procedure('Verfahrensgebühr, Vertretung des Antragsgegners im Mahnverfahren', '0.5'),
    credited: whole('Anm. zu Nr. 3307 VV RVG'),
  },
  3308: procedure('Verfahrensgebühr, Vollstreckungsbescheid', '0.5'),
  3309: procedure('Verfahrensgebühr, Zwangsvollstreckung', '0.3'),
  3310: other('Terminsgebühr, Zwangsvollstreckung', '0.3'),
  3311: procedure('Verfahrensgebühr, Zwangsversteigerung und Zwangsverwaltung', '0.4'),
  3312: other('Terminsgebühr, Zwangsversteigerung', '0.4'),
  3313: procedure('Verfahrensgebühr, Vertretung des Schuldners im Eröffnungsverfahren', '1.0'),
  3314: procedure('Verfahrensgebühr, Vertretung des Gläubigers im Eröffnungsverfahren', '0.5'),
  3317: procedure('Verfahrensgebühr, Insolvenzverfahren', '1.0', 'Insolvenz'),
  3320: procedure('Verfahrensgebühr, Anmeldung einer Insolvenzforderung', '0.5', 'Insolvenz'),
  3324: procedure('Verfahrensgebühr, Aufgebotsverfahren', '1.0'),
  3328: procedure('Verfahrensgebühr, Einstellung der Zwangsvollstreckung', '0.5'),
  3334: procedure('Verfahrensgebühr, Räumungsfrist', '1.0'),
  3335: procedure('Verfahrensgebühr, Prozesskostenhilfe', range('0.3', '1.0', undefined, '3335')),
  3400: procedure('Verfahrensgebühr, Verkehrsanwalt', range('0.3', '1.0', undefined, '3400')),
  3401: procedure('Verfahrensgebühr, Vertretung in einem Termin', range('0.15', '1.15', undefined, '3401')),
  3402: other('Terminsgebühr, Vertretung in einem Termin', range('0.3', '1.5', undefined, '3402')),
  3403: procedure('Verfahrensgebühr, Einzeltätigkeit', '0.8', 'Einzeltätigkeit'),
  3404: procedure('Verfahrensgebühr, Schreiben einfacher Art', '0.3', 'Einzeltätigkeit'),
  3405: procedure('Verfahrensgebühr, vorzeitige Beendigung', range('0.15', '0.5', undefined, '3405')),
  3500: procedure('Verfahrensgebühr, Beschwerde und Erinnerung', '0.5'),
  3502: procedure('Verfahrensgebühr, Rechtsbeschwerde', '1.0', 'Rechtsbeschwerde'),
  3503: procedure('Verfahrensgebühr, Rechtsbeschwerde, vorzeitige Beendigung', '0.5', 'Rechtsbeschwerde'),
  3504: procedure('Verfahrensgebühr, Nichtzulassung der Berufung', '1.6', '3504'),
  3505: procedure('Verfahrensgebühr, Nichtzulassung der Berufung, vorzeitige Beendigung', '1.0', '3504'),
  3506: procedure('Verfahrensgebühr, Nichtzulassung der Revision', '1.6', '3506'),
  3507: procedure('Verfahrensgebühr, Nichtzulassung der Revision, vorzeitige Beendigung', '1.1', '3506'),
  3508: procedure('Verfahrensgebühr, Nichtzulassung der Revision beim BGH', '2.3', '3506'),
  3509: procedure(
    'Verfahrensgebühr, Nichtzulassung der Revision beim BGH, vorzeitige Beendigung',
    '1.8',
    '3506',
  ),
  3513: other('Terminsgebühr, Beschwerde und Erinnerung', '0.5', 'Termin, Beschwerde'),
  3514: other('Terminsgebühr, Beschwerde im Eilverfahren', '1.2', 'Termin, Beschwerde'),
  3516: other('Terminsgebühr, Rechtsbeschwerde und Nichtzulassung', '1.2'),
}

/** Numbers whose amount does not follow from a value, at least not from the value alone (§ 3 RVG). */
export const notByValue: ReadonlySet<string> = new Set(
  '1005 1006 2102 2103 2302 3102 3106 3204 3205 3212 3213 3406 3501 3511 3512 3515 3517 3518'.split(' '),
)

/** A Verfahrensgebühr of Teil 3, on which an earlier fee is credited. */
export function takesCredit(vv: string): boolean {
  return vv.startsWith('3') && vvFees[vv]?.raised === true
}

function range(least: string, most: string, usual?: string, vv?: string): Rates {
  return { least, most, provision: vv ? `Nr. ${vv} VV RVG` : frame, ...(usual ? { usual } : {}) }
}
