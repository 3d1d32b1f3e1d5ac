import { calendarDateOf, weekdayOf } from '#german-time/calendar-date.ts'
import {
  holidayOn,
  holidayYears,
  isDayOff,
  laender,
  type Place,
  partialHolidayOn,
} from '#german-time/holidays.ts'
import { endOfLocalDay, withOffset } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import { type FederalCourt, jointCourts, placeName } from './courts.ts'
import { deliveries } from './delivery.ts'
import type { Direction } from './period.ts'
import type { Preset } from './preset.ts'

/**
 * German sentences that a lawyer must read with the date, most urgent first. The last one is the note of the preset,
 * which names the cases in which another period applies. `due` and `skipped` (the days off that the end moved over) are
 * day numbers.
 */
export function warningsOf(found: Found): string[] {
  return warnings.map((warning) => warning(found)).filter((text) => text !== undefined)
}

type Found = {
  event_date: string
  place: Place
  /** The federal court of the preset, if its seat is the place. */
  court: FederalCourt | undefined
  /** The region of the firm. */
  workspaceRegion: Region | undefined
  preset: Preset | undefined
  direction: Direction
  due: number
  skipped: number[]
  /** The event was presumed from the day of posting. */
  wasPosted: boolean
  /** The act is too late after this end, and a day off does not move it. */
  isLastEnd: boolean
  /** Only the date from which the absolute end runs was given. */
  isAbsoluteAlone: boolean
  /** The time zone in which the due time is the end of a day; undefined if it is a moment. */
  dayEndsIn: string | undefined
}

type Warning = (found: Found) => string | undefined

const warnings: readonly Warning[] = [
  caution,
  earlierLaw,
  absoluteAlone,
  absoluteOnDayOff,
  cannotBeExtended,
  comesByPost,
  dueAtAnotherCourt,
  holidayAtTheFirm,
  holidayOfSomeLands,
  holidayOfSomeMunicipalities,
  christmasEveAndNewYearsEve,
  movedBackward,
  beyondTheTable,
  endsLaterAtTheFirm,
  exceptions,
]

function caution({ preset }: Found): string | undefined {
  return preset?.caution
}

function absoluteAlone({ preset, isAbsoluteAlone }: Found): string | undefined {
  if (!isAbsoluteAlone || preset?.absolute === undefined) return undefined
  return `Gerechnet ist nur das späteste Ende (${preset.absolute.statute}). Mit dem Ereignis (${preset.event}) kann die Frist schon früher ablaufen: Sobald es eintritt, ist sie neu zu berechnen.`
}

function absoluteOnDayOff({ isLastEnd, due, place }: Found): string | undefined {
  if (!isLastEnd || !isDayOff(calendarDateOf(due), place)) return undefined
  return 'Das absolute Ende fällt auf einen arbeitsfreien Tag und ist vorsorglich nicht verschoben: Zu handeln ist spätestens am Werktag davor.'
}

function earlierLaw({ event_date, preset }: Found): string | undefined {
  return preset?.since && event_date < preset.since.date ? preset.since.text : undefined
}

function cannotBeExtended({ preset, direction }: Found): string | undefined {
  if (!preset || preset.extendable || preset.posting === 'fiction' || direction === 'backward')
    return undefined
  if (preset.substantive)
    return 'Frist des materiellen Rechts: Das Gericht kann sie nicht verlängern; wer sie versäumt, verliert das Recht.'
  return preset.notfrist
    ? 'Notfrist: Sie kann weder verlängert noch verkürzt werden (§ 224 Abs. 1, 2 ZPO); nach ihrem Ablauf hilft nur die Wiedereinsetzung (§ 233 ZPO).'
    : 'Das Gericht kann diese Frist nicht verlängern.'
}

function comesByPost({ preset, wasPosted }: Found): string | undefined {
  if (!preset?.delivery) return undefined
  // Letters under § 4 VwZG are usually served with proof; the preset's note explains the presumption.
  if (preset.delivery === 'vwzg' && !wasPosted) return undefined
  const { statute, fieldOfLaw, shift, source } = deliveries[preset.delivery]
  // Some Länder replaced the third day by the fourth later than the Bund.
  const byLand =
    preset.delivery === 'vwvfg'
      ? ' Landesrecht kann abweichen: Wo noch der dritte Tag gilt, endet die Frist früher.'
      : ''
  if (wasPosted)
    return `Gerechnet ist mit dem vermuteten Zugang (${statute}).${byLand} Kam die Entscheidung später oder gar nicht, ist der Tag des Zugangs das Ereignis; wurde sie förmlich zugestellt, dieser Tag.`
  const dayOff = shift
    ? `Fällt dieser Tag auf ein Wochenende oder einen Feiertag, so verschiebt er sich ${fieldOfLaw} auf den nächsten Werktag (${shift}).`
    : `Fällt dieser Tag auf ein Wochenende oder einen Feiertag, so verschiebt er sich ${fieldOfLaw} nicht (${source}).`
  return `Eine mit einfachem Brief im Inland übermittelte oder elektronisch abgesandte Entscheidung gilt am vierten Tag nach der Aufgabe zur Post als bekannt gegeben, bei Aufgabe vor dem 01.01.2025 am dritten (${statute}); Landesrecht kann abweichen. ${dayOff} Statt des Ereignisses kann der Tag der Aufgabe zur Post angegeben werden (posted_on).`
}

function dueAtAnotherCourt({ preset, place }: Found): string | undefined {
  if (preset?.court === undefined || preset.court.region === place.region) return undefined
  const { name, seat, region } = preset.court
  return `Die Frist ist beim ${name} in ${seat} (${laender[region].name}) zu wahren, gerechnet ist mit den Feiertagen in ${laender[place.region].name}, wie angegeben: nur richtig, wenn die Handlung ausnahmsweise dort vorzunehmen ist.`
}

function holidayAtTheFirm({ place, workspaceRegion, due }: Found): string | undefined {
  if (workspaceRegion === undefined || workspaceRegion === place.region) return undefined
  const date = calendarDateOf(due)
  const holiday = holidayOn(date, { region: workspaceRegion })
  // The end may be a day off there too, if it does not move.
  if (!holiday || isDayOff(date, place)) return undefined
  return `${holiday.name} ist in ${laender[workspaceRegion].name}, wo die Kanzlei ist, gesetzlicher Feiertag, nicht aber in ${laender[place.region].name}, wo die Frist zu wahren ist: Dieser Tag zählt als Werktag.`
}

function holidayOfSomeLands({ place, court, skipped }: Found): string | undefined {
  const decisive = skipped.some((day) => isWeekday(day) && holidayOn(calendarDateOf(day), place)?.regional)
  if (!decisive) return undefined
  const shared = court === undefined && jointCourts[place.region]
  return `Die Verschiebung beruht auf einem Feiertag, der nicht überall gilt. Maßgebend ist der Ort, an dem die Frist zu wahren ist, also der Sitz des Gerichts oder der Behörde, nicht der Kanzlei (BAG, 24.08.2011 – 8 AZN 808/11); gerechnet ist mit ${placeName(place, court)}.${shared ? ` ${shared}` : ''}`
}

function holidayOfSomeMunicipalities({ place, court, due, direction }: Found): string | undefined {
  // The municipality of a federal court is known, and so are its holidays.
  if (court !== undefined) return undefined
  const partial = partialHolidayOn(calendarDateOf(due), place)
  if (!partial) return undefined
  const there =
    direction === 'forward'
      ? 'an einem solchen Ort endet die Frist erst am nächsten Werktag'
      : 'an einem solchen Ort ist schon am vorhergehenden Werktag zu handeln'
  return `${partial.name} ist nur ${partial.where} gesetzlicher Feiertag (${partial.source}). Hier ist der Tag als Werktag gerechnet; ${there}.`
}

function christmasEveAndNewYearsEve({ due, direction }: Found): string | undefined {
  const date = calendarDateOf(due)
  if (direction === 'backward' || (!date.endsWith('-12-24') && !date.endsWith('-12-31'))) return undefined
  return 'Heiligabend und Silvester sind keine gesetzlichen Feiertage: Die Frist läuft an diesem Tag ab, auch wenn Gericht und Behörde geschlossen sind (OLG Frankfurt, 17.03.2022 – 5 UF 184/21).'
}

function movedBackward({ direction, skipped }: Found): string | undefined {
  if (direction === 'forward' || skipped.length === 0) return undefined
  return 'Für Kündigungsfristen und andere Mindestfristen zum Schutz des Gegners gilt § 193 BGB nicht (BGH, 17.02.2005 – III ZR 172/04); der vorverlegte Tag ist der sichere.'
}

function beyondTheTable({ due }: Found): string | undefined {
  const year = Number(calendarDateOf(due).slice(0, 4))
  if (year >= holidayYears.first && year <= holidayYears.last) return undefined
  return `Die Feiertage sind für die Jahre ${holidayYears.first} bis ${holidayYears.last} hinterlegt; für ${year} sind sie fortgeschrieben und müssen geprüft werden.`
}

function endsLaterAtTheFirm({ due, dayEndsIn: timeZone }: Found): string | undefined {
  if (timeZone === undefined || timeZone === germanTime) return undefined
  const date = calendarDateOf(due)
  const inGermany = new Date(endOfLocalDay(date, germanTime))
  if (new Date(endOfLocalDay(date, timeZone)) <= inGermany) return undefined
  const time = withOffset(inGermany, timeZone).slice(11, 16)
  return `Vor Gericht endet der Tag um 24 Uhr deutscher Zeit, in der Zeitzone der Kanzlei (${timeZone}) schon um ${time} Uhr: due_at liegt danach.`
}

const germanTime = 'Europe/Berlin'

function exceptions({ preset }: Found): string | undefined {
  return preset?.note
}

/** A holiday on a Saturday or Sunday moves nothing. */
function isWeekday(day: number): boolean {
  return weekdayOf(day) >= 1 && weekdayOf(day) <= 5
}
