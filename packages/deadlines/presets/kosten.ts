import { presetsOf } from '../preset.ts'

/**
 * Costs, court officers and forced sales (ZPO, RPflG, RVG, GKG, ZVG). Checked against the statutes of the date in
 * `checked_until`.
 */
export const kostenPresets = presetsOf({ area: 'civil', law: 'zpo', checked_until: '2026-04-29' }, [
  {
    key: 'zpo_kostenfestsetzung',
    name: 'Sofortige Beschwerde gegen den Kostenfestsetzungsbeschluss',
    event: 'Zustellung des Kostenfestsetzungsbeschlusses',
    period: { unit: 'week', count: 2 },
    statute: '§ 104 Abs. 3 Satz 1, § 569 Abs. 1 Satz 1 ZPO',
    category: 'rechtsmittel',
    notfrist: true,
    note: 'Der Beschluss wird zugestellt (§ 104 Abs. 1 Satz 3 ZPO); einen vermuteten Zugang gibt es nicht. Erreicht die Beschwer den Betrag des § 567 Abs. 2 ZPO nicht, Erinnerung in derselben Frist (§ 11 Abs. 2 RPflG).',
  },
  {
    key: 'rpflg_erinnerung',
    name: 'Erinnerung gegen eine Entscheidung des Rechtspflegers',
    event: 'Zustellung oder Bekanntgabe der Entscheidung',
    period: { unit: 'week', count: 2 },
    statute: '§ 11 Abs. 2 Satz 1 RPflG',
    category: 'rechtsmittel',
    note: 'Wo ein Rechtsmittel gegeben ist, gilt dessen Frist (§ 11 Abs. 1 RPflG). Wiedereinsetzung binnen zwei Wochen, längstens ein Jahr.',
  },
  {
    key: 'rvg_beschwerde_wertfestsetzung',
    name: 'Beschwerde gegen die Festsetzung des Gegenstandswerts',
    event: 'Zustellung der Entscheidung',
    period: { unit: 'week', count: 2 },
    statute: '§ 33 Abs. 3 Satz 3 RVG',
    law: 'general',
    category: 'rechtsmittel',
    note: 'Beschwerdewert über 300 Euro oder Zulassung.',
  },
  {
    key: 'gkg_streitwertbeschwerde',
    name: 'Beschwerde gegen die Festsetzung des Streitwerts',
    event: 'Rechtskraft in der Hauptsache oder anderweitige Erledigung',
    period: { unit: 'month', count: 6 },
    statute: '§ 68 Abs. 1 Satz 3, § 63 Abs. 3 Satz 2 GKG',
    law: 'general',
    category: 'rechtsmittel',
    note: 'Wird der Wert später als einen Monat vor Ablauf festgesetzt, noch binnen eines Monats nach Zustellung oder formloser Mitteilung; formlos mitgeteilt gilt er mit dem vierten Tag nach Aufgabe zur Post als bekannt gemacht (§ 68 Abs. 1 Satz 3, 4 GKG).',
  },
  {
    key: 'zvg_einstellung',
    name: 'Antrag auf einstweilige Einstellung der Zwangsversteigerung',
    event: 'Zustellung der Belehrung',
    period: { unit: 'week', count: 2 },
    statute: '§ 30b Abs. 1 Satz 1, 2 ZVG',
    category: 'notfrist',
    notfrist: true,
  },
])
