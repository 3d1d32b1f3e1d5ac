import type { DeadlineSnapshot } from '#deadlines/history-schema.ts'
import { germanMoment } from '#deadlines/summaries.ts'
import { calendarDateOf, dayNumberOf, germanDate, germanDay } from '#german-time/calendar-date.ts'
import { holidayOn, laender } from '#german-time/holidays.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { escapeHtml } from '#kernel/escape-html.ts'

type Basis = NonNullable<DeadlineSnapshot['basis']>

/** The basis as lines of HTML. The second person checks the due time with it. Empty without a basis (F13). */
export function basisText(basis: Basis | null, zone: string): string {
  if (basis === null) return ''
  const { name, statute, calculated_date, due_date, region } = basis
  const source = [name, statute].filter((one) => one !== null).map(escapeHtml)
  const shifted =
    calculated_date === due_date ? '' : `, verschoben von ${day(calculated_date)}${holidaysBetween(basis)}`
  return `<span class="basis">${[...source, ...eventLines(basis, zone), `Ende ${day(due_date)}${shifted}`, `Feiertage ${laender[region].name}`].join('<br>')}</span>`
}

/**
 * The names of the holidays that the end moved over, in brackets; empty if it moved over a weekend only. The last step
 * says which holidays counted: those of a municipality may be among them.
 */
function holidaysBetween({ calculated_date, due_date, region, steps }: Basis): string {
  const [from, until] = [calculated_date, due_date].toSorted().map(dayNumberOf) as [number, number]
  const days = Array.from({ length: until - from + 1 }, (_, index) => calendarDateOf(from + index))
  const names = days.flatMap((date) => holidayOn(date, { region, municipality: 'Augsburg' })?.name ?? [])
  const counted = names.filter((name) => steps.at(-1)?.text.includes(name))
  return counted.length === 0 ? '' : ` (${escapeHtml(counted.join(', '))})`
}

/**
 * The steps from the event to the end, each paragraph with the resulting day, and the warnings of the calculation.
 */
export function reckoningText({ steps, warnings }: Basis): string {
  const reckoned = steps.map(({ rule, date }) =>
    // The words of a step stay on one line.
    `${escapeHtml(rule)} ${germanDay(date)}`.replaceAll(' ', '\u00a0'),
  )
  const lookedAt = warnings.map((warning) => `<span class="warning">${escapeHtml(warning)}</span>`)
  return `Rechenweg: ${reckoned.join('; ')}${lookedAt.join('')}`
}

/** The dates from which the calculation starts. */
function eventLines(basis: Basis, zone: string): string[] {
  const named: [string, string | null][] = [
    ['Ereignis', basis.event_date],
    ['zur Post gegeben', basis.posted_on],
    ['verkündet', basis.pronounced_on],
    ['Ende der versäumten Frist', basis.missed_on],
    ['bekannt gegeben', basis.announced_on],
  ]
  const moment = (at: string) =>
    `${day(localDateOf(new Date(at), zone))}, ${germanMoment(at, zone).slice('TT.MM.JJJJ, '.length)}`
  return [
    ...(basis.event_at === null ? [] : [`Ereignis ${moment(basis.event_at)}`]),
    ...named.flatMap(([name, date]) => (date === null ? [] : [`${name} ${day(date)}`])),
  ]
}

function day(date: string): string {
  return germanDate(dayNumberOf(date))
}
