import { courts } from '../courts.ts'
import { endsWithinYear, presetsOf } from '../preset.ts'

/** The constitutional court (BVerfGG). Checked against the statutes of the date in `checked_until`. */
export const bverfggPresets = presetsOf({ area: 'civil', law: 'general', checked_until: '2026-04-29' }, [
  {
    key: 'bverfgg_verfassungsbeschwerde',
    name: 'Verfassungsbeschwerde gegen eine Entscheidung',
    event: 'Zustellung oder Mitteilung der vollständigen Entscheidung',
    period: { unit: 'month', count: 1 },
    statute: '§ 93 Abs. 1 BVerfGG',
    court: courts.bverfg,
    category: 'rechtsmittel',
    note: 'Einlegung und vollständige Begründung. Wiedereinsetzung binnen zwei Wochen nach Wegfall des Hindernisses (§ 93 Abs. 2 BVerfGG).',
  },
  {
    key: 'bverfgg_verfassungsbeschwerde_gesetz',
    name: 'Verfassungsbeschwerde gegen ein Gesetz',
    event: 'Inkrafttreten des Gesetzes',
    period: { unit: 'year', count: 1 },
    start: 'start_of_day',
    statute: '§ 93 Abs. 3 BVerfGG',
    court: courts.bverfg,
    category: 'rechtsmittel',
    note: 'Das Gesetz tritt mit Beginn des Tages in Kraft, der deshalb mitzählt.',
  },
  {
    key: 'bverfgg_wiedereinsetzung',
    name: 'Wiedereinsetzung in die Frist der Verfassungsbeschwerde',
    event: 'Wegfall des Hindernisses',
    period: { unit: 'week', count: 2 },
    statute: '§ 93 Abs. 2 Satz 2 BVerfGG',
    court: courts.bverfg,
    category: 'rechtsmittel',
    note: 'Ein Jahr nach dem Ende der versäumten Frist ist der Antrag unzulässig (§ 93 Abs. 2 Satz 5 BVerfGG).',
    absolute: endsWithinYear('missed_on', '§ 93 Abs. 2 Satz 5 BVerfGG'),
  },
])
