import { presetsOf } from '../preset.ts'

/** Insolvency (InsO). Checked against the statutes of the date in `checked_until`. */
export const insoPresets = presetsOf({ area: 'civil', law: 'inso', checked_until: '2026-04-29' }, [
  {
    key: 'inso_sofortige_beschwerde',
    name: 'Sofortige Beschwerde in Insolvenzsachen',
    event: 'Verkündung, sonst Zustellung des Beschlusses',
    period: { unit: 'week', count: 2 },
    statute: '§§ 4, 6 Abs. 2 InsO, § 569 Abs. 1 ZPO',
    category: 'rechtsmittel',
    notfrist: true,
    note: 'Beim Insolvenzgericht einzulegen (§ 6 Abs. 1 Satz 2 InsO). Meist wird durch Aufgabe zur Post zugestellt: Dann gilt der Beschluss im Inland am vierten Tag danach als zugestellt, bei Aufgabe vor dem 01.01.2025 am dritten, auch wenn er später ankommt (§ 8 Abs. 1 Satz 3 InsO); dieser Tag ist das Ereignis. Wird der Beschluss öffentlich bekannt gemacht, zählt die Bekanntmachung, auch wenn er später noch zugestellt wird (§ 9 Abs. 3 InsO; BGH, 05.12.2013 – IX ZB 291/11).',
  },
  {
    key: 'inso_sofortige_beschwerde_bekanntmachung',
    name: 'Sofortige Beschwerde in Insolvenzsachen nach öffentlicher Bekanntmachung',
    event: 'Veröffentlichung im Internet',
    period: { unit: 'week', count: 2 },
    statute: '§§ 4, 9 Abs. 1 Satz 3 InsO, § 569 Abs. 1 ZPO',
    category: 'rechtsmittel',
    notfrist: true,
    note: 'Beim Insolvenzgericht einzulegen (§ 6 Abs. 1 Satz 2 InsO). Wurde vorher zugestellt, läuft sie ab der Zustellung. Fällt der zweite Tag nach der Veröffentlichung auf einen arbeitsfreien Tag, beginnt sie erst nach dem nächsten Werktag (BGH, 05.12.2013 – IX ZB 291/11); vorsorglich ist das nicht angesetzt.',
    begins: { kind: 'after', period: { unit: 'day', count: 2 }, statute: '§ 9 Abs. 1 Satz 3 InsO' },
  },
])
