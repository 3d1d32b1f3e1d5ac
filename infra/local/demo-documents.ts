import type { PartyKey } from './demo-cases.ts'

/** The folders of the first workspace, by the names that documents refer to. */
export const folders = {
  schriftsaetze: { name: 'Schriftsätze', case: 12 },
  muster: { name: 'Muster der Kanzlei' },
} as const satisfies Record<string, { name: string; case?: number }>

export type DemoDocument = {
  filename: string
  /** The lines of the PDF. */
  text: string
  /** The index of its case in `cases`. */
  case?: number
  folder?: keyof typeof folders
  parties?: readonly PartyKey[]
}

/** Documents of the first workspace, by the names that drafts, mails and envelopes refer to. */
export const documents = {
  klageschrift: {
    filename: 'Klageschrift.pdf',
    case: 12,
    folder: 'schriftsaetze',
    parties: ['meier', 'schulze'],
    text: `An das Amtsgericht München

Klage der Frau Anna Meier, Lindenstraße 7, 80339 München, Klägerin,
gegen Herrn Ralf Schulze, Gartenweg 2, 82110 Germering, Beklagter,
wegen Kaufpreis.

Wir werden beantragen, den Beklagten zu verurteilen, an die Klägerin 4.800,00 EUR nebst Zinsen in Höhe von fünf Prozentpunkten über dem Basiszinssatz seit dem 1. April 2026 zu zahlen.

Begründung: Die Parteien schlossen am 3. März 2026 einen Kaufvertrag über einen gebrauchten Pkw. Der Beklagte hat das Fahrzeug übernommen und den Kaufpreis trotz Mahnung nicht gezahlt.

Beweis: Kaufvertrag vom 3. März 2026, Anlage K 1`,
  },
  kaufvertrag: {
    filename: 'Anlage K1 Kaufvertrag.pdf',
    case: 12,
    parties: ['meier'],
    text: `Kaufvertrag vom 3. März 2026

Verkäuferin: Anna Meier. Käufer: Ralf Schulze.
Gegenstand: Pkw, Erstzulassung 2019, 61.200 km.
Der Kaufpreis von 4.800,00 EUR ist bis zum 31. März 2026 zu zahlen.`,
  },
  vollmacht: {
    filename: 'Vollmacht.pdf',
    case: 12,
    parties: ['meier'],
    text: `Vollmacht

Der Kanzlei Lindner & Partner wird in Sachen Meier ./. Schulze Vollmacht zur außergerichtlichen Vertretung und zur Prozessführung (§ 81 ZPO) erteilt.`,
  },
  kuendigung: {
    filename: 'Kündigungsschreiben.pdf',
    case: 4,
    parties: ['okafor'],
    text: `Isar Logistik GmbH

Sehr geehrter Herr Okafor,
hiermit kündigen wir das Arbeitsverhältnis aus betriebsbedingten Gründen ordentlich zum nächstmöglichen Termin.`,
  },
  klagemuster: {
    filename: 'Muster Räumungsklage.pdf',
    folder: 'muster',
    text: `Muster: Klage auf Räumung und Herausgabe von Wohnraum (§ 546 Abs. 1 BGB)`,
  },
} as const satisfies Record<string, DemoDocument>

export type DocumentKey = keyof typeof documents

/** A scanned document in the inbox of the first workspace that is in no case yet. */
export const scanned = {
  filename: 'Scan Amtsgericht.pdf',
  text: `Amtsgericht München, Pacellistraße 5, 80333 München

In Sachen Meier ./. Schulze wegen Kaufpreis: Es ist eine Klageerwiderung eingegangen. Auf die Anlage wird verwiesen.`,
}

/** The envelope of the first workspace: sent, and not signed yet. */
export const envelope: {
  case: number
  documents: readonly DocumentKey[]
  title: string
  signers: readonly object[]
  message: string
} = {
  case: 12,
  documents: ['vollmacht'],
  title: 'Vollmacht Meier',
  signers: [{ name: 'Anna Meier', email: 'anna.meier@example.com' }],
  message: 'Bitte unterschreiben Sie die beigefügte Vollmacht.',
}

/** A document of the second workspace, for its beA messages. */
export const otherDocument = {
  filename: 'Vollmacht Petrović.pdf',
  text: 'Rechtsanwältin Aylin Demir wird in Sachen Petrović ./. Nordlicht Energie Vollmacht erteilt (§ 81 ZPO).',
}

/** The export configurations of the first workspace, in the order of their creation. */
export const exportConfigs = [
  {
    name: 'Offene Fristen',
    description: 'Für die Besprechung am Montag',
    source: 'deadlines',
    format: 'csv',
    csv_dialect: 'excel-de',
    columns: [{ field: 'title' }, { field: 'due_at' }, { field: 'status' }],
  },
  {
    name: 'Mandanten',
    description: 'Für den Steuerberater',
    source: 'parties',
    format: 'csv',
    csv_dialect: 'excel-de',
    filters: { type: 'person' },
    columns: [{ field: 'name' }, { field: 'phone' }],
  },
]
