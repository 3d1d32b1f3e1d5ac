import { laender, type Place } from '#german-time/holidays.ts'
import type { Region } from '#german-time/regions.ts'

/** A federal court, the town where it sits, and the holidays of that town. */
export type FederalCourt = { name: string; seat: string } & Place

/**
 * The federal courts with the seats that the statutes name (§ 123 GVG, § 1 Abs. 2 BVerfGG, § 40 Abs. 1 ArbGG,
 * § 38 Abs. 1 SGG, § 2 FGO, § 2 VwGO).
 *
 * Mariä Himmelfahrt is a holiday in München. Fronleichnam is a holiday in parts of Thüringen and Sachsen only, but not
 * in Erfurt and Leipzig (BAG, 24.08.2011 – 8 AZN 808/11).
 */
export const courts = {
  bverfg: { name: 'Bundesverfassungsgericht', seat: 'Karlsruhe', region: 'DE-BW' },
  bgh: { name: 'Bundesgerichtshof', seat: 'Karlsruhe', region: 'DE-BW' },
  bag: { name: 'Bundesarbeitsgericht', seat: 'Erfurt', region: 'DE-TH' },
  bsg: { name: 'Bundessozialgericht', seat: 'Kassel', region: 'DE-HE' },
  bfh: { name: 'Bundesfinanzhof', seat: 'München', region: 'DE-BY', mariae_himmelfahrt: true },
  bverwg: { name: 'Bundesverwaltungsgericht', seat: 'Leipzig', region: 'DE-SN' },
} as const satisfies Record<string, FederalCourt>

/** The courts that several Länder share, by Land, with the towns where they sit. */
export const jointCourts: Partial<Record<Region, string>> = {
  ...sharedBy(
    ['DE-BE', 'DE-BB'],
    'Oberverwaltungsgericht und Landesarbeitsgericht Berlin-Brandenburg sitzen in Berlin, das Finanzgericht in Cottbus, das Landessozialgericht in Potsdam.',
  ),
  ...sharedBy(['DE-NI', 'DE-HB'], 'Das Landessozialgericht Niedersachsen-Bremen sitzt in Celle.'),
}

function sharedBy(sharing: Region[], where: string): Partial<Record<Region, string>> {
  return Object.fromEntries(sharing.map((region) => [region, where]))
}

/** `Thüringen`, or with a federal court `Thüringen (Bundesarbeitsgericht, Erfurt)`. */
export function placeName({ region }: Place, court: FederalCourt | undefined): string {
  const land = laender[region].name
  return court === undefined ? land : `${land} (${court.name}, ${court.seat})`
}

/** The source of the region: the request, else the federal court of the preset, else the workspace. */
export const regionSources = ['request', 'court', 'workspace'] as const
export type RegionSource = (typeof regionSources)[number]
