import type { Kv } from '../kv.ts'
import type { StepTable } from '../step-table.ts'
import { gkgTables } from './gkg.ts'

/** § 28 Abs. 1 FamGKG, the newest version first. Anlage 2 FamGKG has the figures of Anlage 2 GKG in every version. */
export const famgkgTables: readonly StepTable[] = gkgTables.map((table) => ({
  ...table,
  law: 'FamGKG',
  provision: '§ 28 FamGKG',
  source: table.source.replace('§ 34 Abs. 1 GKG', '§ 28 Abs. 1 FamGKG'),
}))

/** The usual numbers of Anlage 1 FamGKG (Kostenverzeichnis). Their rates are the same in all versions since 2013. */
export const famgkgKv: Readonly<Record<string, Kv>> = {
  1110: { name: 'Verfahren im Allgemeinen, Ehesachen und Folgesachen', rate: '2.0' },
  1111: { name: 'Beendigung des Verfahrens, Ehesachen und Folgesachen', rate: '0.5', instead: '1110' },
  1220: { name: 'Verfahren im Allgemeinen, Familienstreitsachen, erster Rechtszug', rate: '3.0' },
  1221: { name: 'Beendigung des gesamten Verfahrens, erster Rechtszug', rate: '1.0', instead: '1220' },
  1222: { name: 'Verfahren im Allgemeinen, Beschwerde', rate: '4.0' },
  1223: { name: 'Rücknahme vor der Begründung, Beschwerde', rate: '1.0', instead: '1222' },
  1224: { name: 'Beendigung des gesamten Verfahrens, Beschwerde', rate: '2.0', instead: '1222' },
  1225: { name: 'Verfahren im Allgemeinen, Rechtsbeschwerde', rate: '5.0' },
  1226: { name: 'Rücknahme vor der Begründung, Rechtsbeschwerde', rate: '1.0', instead: '1225' },
  1227: { name: 'Rücknahme, Rechtsbeschwerde', rate: '3.0', instead: '1225' },
}
