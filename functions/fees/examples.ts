/** Real answers of the calculations; these lines are in more than one. */
const procedure = {
  vv: '3100',
  number: 'Nr. 3100 VV RVG',
  name: 'Verfahrensgebühr',
  value: '5000.00',
  rate: '1.3',
  amount: '460.85',
  rule: '1,3 × 354,50 € (Wert 5.000,00 €, § 13 Abs. 1 RVG).',
  table: 'RVG ab 01.06.2025',
  checked_until: '2025-11-13',
}

const hearing = {
  vv: '3104',
  number: 'Nr. 3104 VV RVG',
  name: 'Terminsgebühr',
  value: '5000.00',
  rate: '1.2',
  amount: '425.40',
  rule: '1,2 × 354,50 € (Wert 5.000,00 €, § 13 Abs. 1 RVG).',
  table: 'RVG ab 01.06.2025',
  checked_until: '2025-11-13',
}

const postage = {
  vv: '7002',
  number: 'Nr. 7002 VV RVG',
  name: 'Pauschale für Post- und Telekommunikationsdienstleistungen',
  value: null,
  rate: null,
  amount: '20.00',
  rule: '20 % der Gebühren vor Anrechnung (886,25 €), höchstens 20,00 €.',
  table: null,
  checked_until: null,
}

export const rvg = {
  body: {
    value: '5000',
    ordered_on: '2026-03-02',
    fees: [{ vv: '3100' }, { vv: '3104' }],
    credited: [{ vv: '2300', rate: '1.3' }],
    expenses: [{ vv: '7002' }],
  },
  answer: {
    lines: [
      procedure,
      hearing,
      {
        vv: '2300',
        number: 'Vorbem. 3 Abs. 4 VV RVG, § 15a RVG',
        name: 'Anrechnung der Gebühr Nr. 2300 VV RVG',
        value: '5000.00',
        rate: '0.65',
        amount: '-230.43',
        rule: 'Zur Hälfte, höchstens mit 0,75 auf die Gebühr Nr. 3100 VV RVG, nach dem niedrigeren Wert: 0,65 × 354,50 € (Wert 5.000,00 €, § 13 Abs. 1 RVG).',
        table: 'RVG ab 01.06.2025',
        checked_until: '2025-11-13',
      },
      postage,
    ],
    net: '675.82',
    vat_rate: '19',
    vat: '128.41',
    gross: '804.23',
    warnings: [],
    provisional: false,
  },
}

export const court = {
  body: { law: 'GKG' as const, value: '5000', pending_on: '2026-03-16', kv: ['1210'] },
  answer: {
    lines: [
      {
        kv: '1210',
        number: 'Nr. 1210 KV GKG',
        name: 'Verfahren im Allgemeinen, erster Rechtszug',
        value: '5000.00',
        rate: '3.0',
        amount: '511.50',
        rule: '3,0 × 170,50 € (Wert 5.000,00 €, § 34 GKG).',
        table: 'GKG ab 01.06.2025',
        checked_until: '2025-11-13',
      },
    ],
    total: '511.50',
    warnings: [],
    provisional: false,
  },
}

const lawyer = {
  lines: [procedure, hearing, postage],
  net: '906.25',
  vat_rate: '19',
  vat: '172.19',
  gross: '1078.44',
  warnings: [],
  provisional: false,
}

export const risk = {
  body: { value: '5000', instances: 1, pending_on: '2026-03-16', ordered_on: '2026-03-02', won_share: '0.6' },
  answer: {
    instances: [
      {
        instance: 1,
        court: court.answer,
        own: lawyer,
        other: lawyer,
        total: '2668.38',
      },
    ],
    total: '2668.38',
    bears: { own: '1067.35', other: '1601.03' },
    provisional: false,
  },
}

export const interest = {
  body: {
    principal: '10000',
    from: '2026-03-01',
    to: '2026-09-30',
    rate: { above_base: '5' },
    payments: [{ date: '2026-05-04', amount: '1000' }],
    costs: '40',
  },
  answer: {
    rows: [
      {
        from: '2026-03-01',
        to: '2026-05-03',
        days: 64,
        base_rate: '1.27',
        rate: '6.27',
        principal: '10000.00',
        amount: '109.94',
        rule: '§ 288 Abs. 1, § 247 BGB: 5 Prozentpunkte über dem Basiszinssatz von 1,27 %',
        provisional: false,
      },
      {
        from: '2026-05-04',
        to: '2026-06-30',
        days: 58,
        base_rate: '1.27',
        rate: '6.27',
        principal: '9149.94',
        amount: '91.16',
        rule: '§ 288 Abs. 1, § 247 BGB: 5 Prozentpunkte über dem Basiszinssatz von 1,27 %',
        provisional: false,
      },
      {
        from: '2026-07-01',
        to: '2026-09-30',
        days: 92,
        base_rate: '1.52',
        rate: '6.52',
        principal: '9149.94',
        amount: '150.37',
        rule: '§ 288 Abs. 1, § 247 BGB: 5 Prozentpunkte über dem Basiszinssatz von 1,52 %',
        provisional: false,
      },
    ],
    interest: '351.47',
    open: { costs: '0.00', interest: '241.53', principal: '9149.94', total: '9391.47' },
    payments: [
      { date: '2026-05-04', amount: '1000.00', costs: '40.00', interest: '109.94', principal: '850.06' },
    ],
    convention:
      'Taggenau, das Jahr zu 365 Tagen, Schaltjahre zu 366; beide genannten Tage zählen, der Tag einer Zahlung nicht. Jede Zeile (für jedes Halbjahr und bis zu jeder Zahlung) ist auf den Cent gerundet, 0,5 Cent aufwärts. Offene Zinsen tragen keine Zinsen (§ 289 BGB). Zahlungen nach § 367 Abs. 1 BGB: Kosten, Zinsen, Hauptforderung.',
    provisional: false,
  },
}
