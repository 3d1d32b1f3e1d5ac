import { localDateOf, withOffset } from '#german-time/local-time.ts'
import { type DayOrMoment, dayAfter, startOfLocalDay, startOfUtcDay } from '#german-time/time-range.ts'
import { type Failure, invalid, invalidRange } from '#kernel/failure.ts'
import type { EventRecord, Interval } from './ports.ts'

/** The stored times of an event. */
export type Span = Pick<EventRecord, 'starts_at' | 'ends_at' | 'all_day' | 'first_day' | 'last_day'>

type TimeField = 'start' | 'end'

const maxDays = 366

/**
 * The span of a timed event; fractions of a second are cut.
 *
 * @param fault the field that a refusal names if the start is not before the end
 * @throws Failure INVALID_DATE_RANGE, VALIDATION_ERROR
 */
export function timedSpan(start: DayOrMoment, end: DayOrMoment, fault: TimeField = 'start'): Span {
  const [starts_at, ends_at] = [momentOf(start, 'start'), momentOf(end, 'end')]
  if (starts_at >= ends_at) throw reversed(fault)
  return { starts_at, ends_at, all_day: false, first_day: null, last_day: null }
}

/**
 * The span of an all-day event: whole local days, both dates included. A moment stands for its local day. An end at
 * midnight stands for the day before.
 *
 * @param fault as in `timedSpan`
 * @throws Failure INVALID_DATE_RANGE, VALIDATION_ERROR
 */
export function allDaySpan(
  start: DayOrMoment,
  end: DayOrMoment,
  timeZone: string,
  fault: TimeField = 'start',
): Span {
  if ('moment' in start && 'moment' in end && start.moment >= end.moment) throw reversed(fault)
  const first_day = 'date' in start ? start.date : localDateOf(new Date(start.moment), timeZone)
  const last_day = 'date' in end ? end.date : localDateOf(new Date(Date.parse(end.moment) - 1), timeZone)
  if (last_day < first_day) throw reversed(fault)
  if (Date.parse(last_day) - Date.parse(first_day) >= maxDays * 86_400_000) {
    throw invalid(`An all-day event lasts at most ${maxDays} days.`, [
      { path: 'body.end', message: `At most ${maxDays} days after the start.` },
    ])
  }
  return {
    all_day: true,
    first_day,
    last_day,
    starts_at: startOfUtcDay(first_day),
    ends_at: startOfUtcDay(dayAfter(last_day)),
  }
}

/** Start and end with the workspace's offset (G6). An all-day event ends at 23:59:59 of its last day. */
export function shownTimes(span: Span, timeZone: string): { start: string; end: string } {
  if (span.first_day === null || span.last_day === null) {
    return {
      start: withOffset(new Date(span.starts_at), timeZone),
      end: withOffset(new Date(span.ends_at), timeZone),
    }
  }
  const start = startOfLocalDay(span.first_day, timeZone)
  const end = startOfLocalDay(dayAfter(span.last_day), timeZone)
  return {
    start: withOffset(new Date(start), timeZone),
    end: withOffset(new Date(Date.parse(end) - 1_000), timeZone),
  }
}

/**
 * The half-open range of a query for free time, in UTC. A date stands for the whole local day.
 *
 * @throws Failure INVALID_DATE_RANGE if `from` is not before `to`; VALIDATION_ERROR for more than `maxDays` days
 */
export function boundedRange(
  { from, to }: { from: DayOrMoment; to: DayOrMoment },
  timeZone: string,
  maxDays: number,
): Interval {
  const start = 'moment' in from ? from.moment : startOfLocalDay(from.date, timeZone)
  const end = 'moment' in to ? to.moment : startOfLocalDay(dayAfter(to.date), timeZone)
  if (start >= end) throw invalidRange('body.from', '`from` must be before `to`.')
  if (localMilliseconds(end, timeZone) - localMilliseconds(start, timeZone) > maxDays * 86_400_000) {
    throw invalid(`A range of more than ${maxDays} days is too long.`, [
      { path: 'body.to', message: `At most ${maxDays} days after \`from\`.` },
    ])
  }
  return { start, end }
}

/** The local clock time in milliseconds, read as if it were UTC: so every local day counts as 24 hours. */
function localMilliseconds(instant: string, timeZone: string): number {
  return Date.parse(`${withOffset(new Date(instant), timeZone).slice(0, 19)}Z`)
}

function momentOf(time: DayOrMoment, field: TimeField): string {
  if ('moment' in time) return `${time.moment.slice(0, 19)}.000Z`
  throw invalid('Only an all-day event can begin or end with a date.', [
    { path: `body.${field}`, message: 'Send ISO 8601 with Z or an offset, or `all_day: true`.' },
  ])
}

function reversed(fault: TimeField): Failure {
  return invalidRange(`body.${fault}`, 'The start must be before the end.')
}
