import { presetsOf } from '../preset.ts'

const shared = {
  area: 'administrative',
  law: 'vwgo',
  checked_until: '2026-04-29',
  caution:
    'Das Asylrecht wurde Mitte 2026 mit dem Gemeinsamen Europäischen Asylsystem umgestaltet; die Frist ist nach dem Stand vom 29.04.2026 gerechnet und am geltenden Gesetz zu prüfen.',
} as const

/** Asylum (AsylG). Checked against the statutes of the date in `checked_until`. */
export const asylgPresets = presetsOf(shared, [
  {
    key: 'asylg_klage',
    name: 'Klage in Asylsachen',
    event: 'Zustellung der Entscheidung',
    period: { unit: 'week', count: 2 },
    statute: '§ 74 Abs. 1 Halbsatz 1 AsylG',
    category: 'rechtsmittel',
    note: 'Eine Woche, wenn der Antrag nach § 80 Abs. 5 VwGO binnen einer Woche zu stellen ist (§ 34a Abs. 2, § 36 Abs. 3 AsylG).',
    related: 'asylg_klagebegruendung',
  },
  {
    key: 'asylg_klage_eine_woche',
    name: 'Klage in Asylsachen bei offensichtlich unbegründetem oder unzulässigem Antrag',
    event: 'Zustellung der Entscheidung',
    period: { unit: 'week', count: 1 },
    statute: '§ 74 Abs. 1 Halbsatz 2 AsylG',
    category: 'rechtsmittel',
    related: 'asylg_klagebegruendung',
  },
  {
    key: 'asylg_klagebegruendung',
    name: 'Angabe der Tatsachen und Beweismittel in Asylsachen',
    event: 'Zustellung der Entscheidung',
    period: { unit: 'month', count: 1 },
    statute: '§ 74 Abs. 2 Satz 1 AsylG',
    category: 'begruendung',
  },
  {
    key: 'asylg_eilantrag',
    name: 'Antrag nach § 80 Abs. 5 VwGO gegen die Abschiebungsandrohung',
    event: 'Bekanntgabe des Bescheids',
    period: { unit: 'week', count: 1 },
    statute: '§ 36 Abs. 3 Satz 1 AsylG',
    category: 'rechtsmittel',
  },
  {
    key: 'asylg_zulassung_berufung',
    name: 'Antrag auf Zulassung der Berufung in Asylsachen, mit Gründen',
    event: 'Zustellung des Urteils',
    period: { unit: 'month', count: 1 },
    statute: '§ 78 Abs. 4 Satz 1, 4 AsylG',
    category: 'rechtsmittel',
    note: 'Die Gründe sind im Antrag darzulegen: Eine weitere Frist dafür gibt es nicht.',
  },
  {
    key: 'asylg_gerichtsbescheid',
    name: 'Rechtsbehelf gegen einen Gerichtsbescheid in Asylsachen',
    event: 'Zustellung des Gerichtsbescheids',
    period: { unit: 'week', count: 2 },
    statute: '§ 78 Abs. 7 AsylG',
    category: 'rechtsmittel',
  },
])
