import { type CalendarDate, dayNumber, dayNumberOf, weekdayOf } from './calendar-date.ts'
import { type Region, regions } from './regions.ts'

/**
 * The public holiday of a place on a day; undefined on all other days, including ordinary Saturdays and Sundays.
 *
 * The table has the law of the sixteen Länder for the years 2017 to 2040 (`holidayYears`). For other years it applies
 * the rules of the nearest year, without holidays of a single year such as 31 October 2017. A caller that relies on
 * this must tell the user.
 *
 * The table does not have Fronleichnam for Sachsen and Thüringen, because there it is a holiday only in some
 * municipalities (see `partialHolidayOn`).
 */
export function holidayOn(date: CalendarDate, place: Place): Holiday | undefined {
  return holidaysByDay(place, Number(date.slice(0, 4))).get(dayNumberOf(date))
}

/** Whether a day is a Saturday, a Sunday or a public holiday: no period ends on it (§ 193 BGB, § 222 Abs. 2 ZPO). */
export function isDayOff(date: CalendarDate, place: Place): boolean {
  const weekday = weekdayOf(dayNumberOf(date))
  return weekday === 0 || weekday === 6 || holidayOn(date, place) !== undefined
}

/**
 * A holiday that only some municipalities of the Land have on this day, if `place` does not say whether it is one of
 * these municipalities. Then a person must find out whether the day is a holiday where the court has its seat.
 */
export function partialHolidayOn(date: CalendarDate, place: Place): PartialHoliday | undefined {
  if (holidayOn(date, place)) return undefined
  const year = Number(date.slice(0, 4))
  const day = dayNumberOf(date)
  return partialHolidays.find(
    (holiday) =>
      holiday.region === place.region &&
      dayOfYear(holiday.on, year) === day &&
      !(holiday === mariaeHimmelfahrt && place.mariae_himmelfahrt === false),
  )
}

/** The years for which the table has the law. */
export const holidayYears = { first: 2017, last: 2040 } as const

/**
 * The parts of a place on which its public holidays depend: the Land and, in Bayern, also the municipality. Augsburg
 * has Friedensfest and Mariä Himmelfahrt; many other municipalities have Mariä Himmelfahrt. Outside Bayern, both fields
 * are ignored.
 */
export type Place = {
  region: Region
  municipality?: 'Augsburg' | undefined
  mariae_himmelfahrt?: boolean | undefined
}

export type Holiday = {
  /** In German. */
  name: string
  /** The provision of the law that makes it a holiday. */
  source: string
  /** Whether it is a holiday only in some of the sixteen Länder in that year. */
  regional: boolean
}

type PartialHoliday = { region: Region; name: string; where: string; source: string; on: DayRule }

/** The name of each Land, and the provision that lists its holidays. */
export const laender: Record<Region, { name: string; statute: string }> = {
  'DE-BW': { name: 'Baden-Württemberg', statute: '§ 1 FTG (Baden-Württemberg)' },
  'DE-BY': { name: 'Bayern', statute: 'Art. 1 Abs. 1 Nr. 1 BayFTG' },
  'DE-BE': { name: 'Berlin', statute: '§ 1 Abs. 1 FeiertG (Berlin)' },
  'DE-BB': { name: 'Brandenburg', statute: '§ 2 Abs. 1 FTG (Brandenburg)' },
  'DE-HB': { name: 'Bremen', statute: '§ 2 Abs. 1 FeiertG (Bremen)' },
  'DE-HH': { name: 'Hamburg', statute: '§ 1 Feiertagsgesetz (Hamburg)' },
  'DE-HE': { name: 'Hessen', statute: '§ 1 Abs. 1 HFeiertagsG' },
  'DE-MV': { name: 'Mecklenburg-Vorpommern', statute: '§ 2 Abs. 1 FTG M-V' },
  'DE-NI': { name: 'Niedersachsen', statute: '§ 2 Abs. 1 NFeiertagsG' },
  'DE-NW': { name: 'Nordrhein-Westfalen', statute: '§ 2 Abs. 1 FeiertagsG NW' },
  'DE-RP': { name: 'Rheinland-Pfalz', statute: '§ 2 Abs. 1 LFtG' },
  'DE-SL': { name: 'Saarland', statute: '§ 2 Abs. 1 SFG' },
  'DE-SN': { name: 'Sachsen', statute: '§ 1 Abs. 1 SächsSFG' },
  'DE-ST': { name: 'Sachsen-Anhalt', statute: '§ 2 FeiertG LSA' },
  'DE-SH': { name: 'Schleswig-Holstein', statute: '§ 2 Abs. 1 SFTG' },
  'DE-TH': { name: 'Thüringen', statute: '§ 2 Abs. 1 ThürFGtG' },
}

/** A fixed day, a number of days from Easter Sunday, or the Wednesday before 23 November. */
type DayRule = { month: number; day: number } | { fromEaster: number } | 'buss_und_bettag'

type HolidayRule = {
  name: string
  on: DayRule
  in: readonly Region[]
  /** The first and the last year. Without them, the rule has no such limit. */
  from?: number
  until?: number
  /** The provision, if it is not the one of the Land (`laender`). */
  source?: string
}

const rules: readonly HolidayRule[] = [
  { name: 'Neujahr', on: { month: 1, day: 1 }, in: regions },
  { name: 'Heilige Drei Könige', on: { month: 1, day: 6 }, in: ['DE-BW', 'DE-BY', 'DE-ST'] },
  // Berlin: law of 30 January 2019; Mecklenburg-Vorpommern: law of June 2022, from 2023.
  { name: 'Frauentag', on: { month: 3, day: 8 }, in: ['DE-BE'], from: 2019 },
  { name: 'Frauentag', on: { month: 3, day: 8 }, in: ['DE-MV'], from: 2023 },
  { name: 'Karfreitag', on: { fromEaster: -2 }, in: regions },
  // Only Brandenburg lists Easter Sunday and Whit Sunday. Every Sunday is a day off anyway.
  { name: 'Ostersonntag', on: { fromEaster: 0 }, in: ['DE-BB'] },
  { name: 'Ostermontag', on: { fromEaster: 1 }, in: regions },
  { name: 'Tag der Arbeit', on: { month: 5, day: 1 }, in: regions },
  // Only in these two years: 75 and 80 years after the end of the war.
  { name: 'Tag der Befreiung', on: { month: 5, day: 8 }, in: ['DE-BE'], from: 2020, until: 2020 },
  { name: 'Tag der Befreiung', on: { month: 5, day: 8 }, in: ['DE-BE'], from: 2025, until: 2025 },
  { name: 'Christi Himmelfahrt', on: { fromEaster: 39 }, in: regions },
  { name: 'Pfingstsonntag', on: { fromEaster: 49 }, in: ['DE-BB'] },
  { name: 'Pfingstmontag', on: { fromEaster: 50 }, in: regions },
  {
    name: 'Fronleichnam',
    on: { fromEaster: 60 },
    in: ['DE-BW', 'DE-BY', 'DE-HE', 'DE-NW', 'DE-RP', 'DE-SL'],
  },
  // Only in 2028: 75 years after the uprising of 1953. The day is a Saturday, so no period ends later because of it.
  {
    name: 'Jahrestag des Volksaufstandes vom 17. Juni 1953',
    on: { month: 6, day: 17 },
    in: ['DE-BE'],
    from: 2028,
    until: 2028,
  },
  { name: 'Mariä Himmelfahrt', on: { month: 8, day: 15 }, in: ['DE-SL'] },
  // Third law amending the ThürFGtG, March 2019.
  { name: 'Weltkindertag', on: { month: 9, day: 20 }, in: ['DE-TH'], from: 2019 },
  {
    name: 'Tag der Deutschen Einheit',
    on: { month: 10, day: 3 },
    in: regions,
    source: 'Art. 2 Abs. 2 Einigungsvertrag',
  },
  { name: 'Reformationstag', on: { month: 10, day: 31 }, in: ['DE-BB', 'DE-MV', 'DE-SN', 'DE-ST', 'DE-TH'] },
  // Laws of March 2018 (Hamburg, Schleswig-Holstein) and June 2018 (Bremen, Niedersachsen).
  {
    name: 'Reformationstag',
    on: { month: 10, day: 31 },
    in: ['DE-HB', 'DE-HH', 'DE-NI', 'DE-SH'],
    from: 2018,
  },
  // Only in 2017, in the other Länder: 500 years after the Reformation. Each Land made a law or an ordinance, such as
  // § 1 Abs. 1 Nr. 10 FeiertG Berlin in 2017, or the Landesverordnung über den Reformationstag 2017 of
  // Schleswig-Holstein.
  {
    name: 'Reformationstag',
    on: { month: 10, day: 31 },
    in: ['DE-BW', 'DE-BY', 'DE-BE', 'DE-HB', 'DE-HH', 'DE-HE', 'DE-NI', 'DE-NW', 'DE-RP', 'DE-SL', 'DE-SH'],
    from: 2017,
    until: 2017,
    source: 'einmalig, 500. Jahrestag der Reformation',
  },
  { name: 'Allerheiligen', on: { month: 11, day: 1 }, in: ['DE-BW', 'DE-BY', 'DE-NW', 'DE-RP', 'DE-SL'] },
  { name: 'Buß- und Bettag', on: 'buss_und_bettag', in: ['DE-SN'] },
  { name: '1. Weihnachtstag', on: { month: 12, day: 25 }, in: regions },
  { name: '2. Weihnachtstag', on: { month: 12, day: 26 }, in: regions },
]

const friedensfest: PartialHoliday = {
  region: 'DE-BY',
  name: 'Augsburger Friedensfest',
  where: 'in der Stadt Augsburg',
  source: 'Art. 1 Abs. 2 BayFTG',
  on: { month: 8, day: 8 },
}

const mariaeHimmelfahrt: PartialHoliday = {
  region: 'DE-BY',
  name: 'Mariä Himmelfahrt',
  where: 'in Gemeinden mit überwiegend katholischer Bevölkerung',
  source: 'Art. 1 Abs. 1 Nr. 2 BayFTG',
  on: { month: 8, day: 15 },
}

const partialHolidays: readonly PartialHoliday[] = [
  friedensfest,
  mariaeHimmelfahrt,
  {
    region: 'DE-SN',
    name: 'Fronleichnam',
    where: 'in den durch Rechtsverordnung bestimmten Gemeinden Sachsens (Landkreis Bautzen)',
    source: '§ 1 Abs. 1 SächsSFG',
    on: { fromEaster: 60 },
  },
  {
    region: 'DE-TH',
    name: 'Fronleichnam',
    where: 'in Teilen Thüringens (Landkreis Eichsfeld und einzelne Gemeinden)',
    source: '§ 2 Abs. 2, § 10 Abs. 1 ThürFGtG',
    on: { fromEaster: 60 },
  },
]

const computed = new Map<string, Map<number, Holiday>>()

function holidaysByDay(place: Place, year: number): Map<number, Holiday> {
  const local = localHolidaysOf(place)
  const key = `${year} ${place.region} ${local.map(({ name }) => name).join()}`
  const known = computed.get(key)
  if (known) return known

  const holidays = new Map<number, Holiday>()
  for (const rule of rules) {
    if (!rule.in.includes(place.region) || !appliesIn(rule, year)) continue
    const day = dayOfYear(rule.on, year)
    // 1 May and Christi Himmelfahrt can be the same day, as in 2008. The first rule gives the name.
    if (holidays.has(day)) continue
    const source = rule.source ?? laender[place.region].statute
    holidays.set(day, { name: rule.name, source, regional: !isEverywhere(day, year) })
  }
  for (const { name, source, on } of local) {
    holidays.set(dayOfYear(on, year), { name, source, regional: true })
  }
  computed.set(key, holidays)
  return holidays
}

function localHolidaysOf({ region, municipality, mariae_himmelfahrt }: Place): PartialHoliday[] {
  if (region !== 'DE-BY') return []
  if (municipality === 'Augsburg') return [friedensfest, mariaeHimmelfahrt]
  return mariae_himmelfahrt ? [mariaeHimmelfahrt] : []
}

function appliesIn(rule: HolidayRule, year: number): boolean {
  return year >= (rule.from ?? year) && year <= (rule.until ?? year)
}

function isEverywhere(day: number, year: number): boolean {
  const withHoliday = new Set<Region>()
  for (const rule of rules) {
    if (!appliesIn(rule, year) || dayOfYear(rule.on, year) !== day) continue
    for (const region of rule.in) withHoliday.add(region)
  }
  return withHoliday.size === regions.length
}

function dayOfYear(rule: DayRule, year: number): number {
  if (rule === 'buss_und_bettag') {
    const day = dayNumber(year, 11, 22)
    return day - ((weekdayOf(day) + 4) % 7)
  }
  if ('fromEaster' in rule) return easterSunday(year) + rule.fromEaster
  return dayNumber(year, rule.month, rule.day)
}

/** The day number of Easter Sunday in the Gregorian calendar (the anonymous algorithm in Nature, 1876). */
function easterSunday(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const yearOfCentury = year % 100
  const leapCorrection = Math.floor((8 * century + 13) / 25)
  const epact = (19 * golden + century - Math.floor(century / 4) - leapCorrection + 15) % 30
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451)
  const month = Math.floor((epact + weekday - 7 * late + 114) / 31)
  const day = ((epact + weekday - 7 * late + 114) % 31) + 1
  return dayNumber(year, month, day)
}
