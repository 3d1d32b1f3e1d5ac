/**
 * The provisions by which each kind of procedure counts a period. The arithmetic is always the same; the explanation
 * names the provision of the procedure.
 */
export const laws = {
  /** For an unknown procedure: the general rule together with the rule of the civil courts. */
  general: { ...counting(), shift: '§ 193 BGB, § 222 Abs. 2 ZPO' },
  bgb: { ...counting(), shift: '§ 193 BGB' },
  zpo: { ...counting(), shift: '§ 222 Abs. 2 ZPO', through: '§ 222 Abs. 1 ZPO' },
  arbgg: { ...counting(), shift: '§ 222 Abs. 2 ZPO', through: '§ 46 Abs. 2 ArbGG' },
  famfg: { ...counting(), shift: '§ 222 Abs. 2 ZPO', through: '§ 16 Abs. 2 FamFG' },
  inso: { ...counting(), shift: '§ 222 Abs. 2 ZPO', through: '§ 4 InsO' },
  vwgo: { ...counting(), shift: '§ 222 Abs. 2 ZPO', through: '§ 57 Abs. 2 VwGO' },
  fgo: { ...counting(), shift: '§ 222 Abs. 2 ZPO', through: '§ 54 Abs. 2 FGO' },
  ao: { ...counting(), shift: '§ 108 Abs. 3 AO', through: '§ 108 Abs. 1 AO' },
  sgg: {
    ...counting(),
    afterEvent: '§ 64 Abs. 1 SGG',
    days: '§ 64 Abs. 2 SGG',
    weeksAndMonths: '§ 64 Abs. 2 SGG',
    missingDay: '§ 64 Abs. 2 SGG',
    shift: '§ 64 Abs. 3 SGG',
  },
  stpo: { ...stpoCounting() },
  owig: { ...stpoCounting(), through: '§ 46 Abs. 1 OWiG' },
  /** The Strafantrag has its own rules. */
  strafantrag: { ...counting(), afterEvent: '§ 77b Abs. 2 StGB', shift: '§ 77b Abs. 1 StGB' },
} as const satisfies Record<string, LawProvisions>

export type Law = keyof typeof laws

export type LawProvisions = {
  /** The day of the event does not count. */
  afterEvent: string
  /** The first day counts. */
  startOfDay: string
  days: string
  weeksAndMonths: string
  /** The last month does not have that day. */
  missingDay: string
  /** The end moves from a Saturday, Sunday or holiday. */
  shift: string
  /** The provision of another law that makes these apply. */
  through?: string
}

function counting() {
  return {
    afterEvent: '§ 187 Abs. 1 BGB',
    startOfDay: '§ 187 Abs. 2 BGB',
    days: '§ 188 Abs. 1 BGB',
    weeksAndMonths: '§ 188 Abs. 2 BGB',
    missingDay: '§ 188 Abs. 3 BGB',
  } as const
}

function stpoCounting() {
  return {
    ...counting(),
    afterEvent: '§§ 42, 43 Abs. 1 StPO',
    weeksAndMonths: '§ 43 Abs. 1 StPO',
    missingDay: '§ 43 Abs. 1 StPO',
    shift: '§ 43 Abs. 2 StPO',
  } as const
}
