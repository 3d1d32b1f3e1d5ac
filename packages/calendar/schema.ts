import * as z from 'zod'
import { LocalTimestamp } from '#german-time/local-timestamp.ts'
import { dayOrMoment } from '#german-time/time-range.ts'
import { idFilter, idOf, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { orCleared, orDefault } from '#kernel/or-default.ts'
import { pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { descriptionText, NullableText, nameText, Text, Timestamp, text } from '#kernel/text.ts'
import { updatedSince } from '#kernel/updated-since.ts'

/** The largest number of attendees of an event (K5), and of users in one query for free time (K6, K7). */
const maxUsers = 50

/** The largest number of days in one query for free time (K6). */
export const maxAvailabilityDays = 92

/** An event, or a deadline as the calendar shows it (K1, K2). */
export const CalendarEvent = namedObject('CalendarEvent', () => ({
  id: shownId('event').meta({ description: '`evt_<uuid>`' }),
  title: Text,
  type: z.enum(['event', 'meeting', 'deadline']),
  start: LocalTimestamp.meta({ description: 'For an all-day event, 00:00:00 of its first day.' }),
  end: LocalTimestamp.meta({
    description:
      'For an all-day event, 23:59:59 of its last day. For a deadline, `start` and `end` are its due time.',
  }),
  all_day: z.boolean(),
  overdue: z.literal(true).optional().meta({
    description:
      '`true` if a deadline was due before now and is not completed, whether it is verified or not. Absent otherwise.',
  }),
  case_id: z.uuid().nullable(),
  case_deleted_at: Timestamp.optional().meta({
    description: 'When the case of this deadline was deleted. The deadline itself stays. Absent otherwise.',
  }),
  location: NullableText,
  description: NullableText,
  attendees: z.array(shownId('user')).meta({
    description: 'User ids. An event without attendees belongs to the user who created it.',
  }),
  created_by: shownId('user'),
  created_at: Timestamp,
  updated_at: Timestamp,
}))

export type CalendarEvent = z.infer<typeof CalendarEvent>

const eventType = z.enum(
  ['event', 'meeting'],
  'One of event, meeting. Create a deadline with POST /api/v1/deadlines.',
)

/** A key with one of these scopes may read events. */
export const eventReaders = ['calendar:read', 'deadlines:read'] as const

const attendees = z.lazy(() =>
  z
    .array(idOf('user'))
    .max(maxUsers, `At most ${maxUsers} attendees.`)
    .transform((ids) => [...new Set(ids)]),
)
const time = dayOrMoment.meta({
  description:
    'ISO 8601 with `Z` or an offset. An all-day event also takes dates: the first and the last day, both included.',
})
const allowConflict = z.lazy(() =>
  orDefault(z.boolean(), false).meta({
    description: 'Whether the event may overlap other events of its attendees.',
  }),
)

const datesAreForAllDay =
  'Only an all-day event can begin or end with a date. Send ISO 8601 with Z or an offset, or `all_day: true`.'

export const CalendarEventInput = z.lazy(() =>
  z
    .object({
      title: nameText(),
      type: orDefault(eventType, 'event'),
      start: time,
      end: time,
      all_day: orDefault(z.boolean(), false),
      case_id: orDefault(idOf('case').nullable(), null),
      location: orDefault(text(500).nullable(), null),
      description: orDefault(descriptionText().nullable(), null),
      attendees: orDefault(attendees, []),
      allow_conflict: allowConflict,
    })
    .check((context) => {
      const { all_day, start, end } = context.value
      if (!all_day && 'date' in start) refuse(context, datesAreForAllDay, 'start')
      if (!all_day && 'date' in end) refuse(context, datesAreForAllDay, 'end')
    })
    .meta({ id: 'CalendarEventInput' }),
)

export type CalendarEventInput = z.output<typeof CalendarEventInput>

export const CalendarEventChanges = namedObject('CalendarEventChanges', () => ({
  title: nameText().optional(),
  type: orCleared(eventType, 'event'),
  start: time.optional(),
  end: time.optional(),
  all_day: orCleared(z.boolean(), false),
  case_id: idOf('case').nullish(),
  location: text(500).nullish(),
  description: descriptionText().nullish(),
  attendees: orCleared(attendees, []),
  allow_conflict: allowConflict,
}))

export type CalendarEventChanges = z.output<typeof CalendarEventChanges>

export const CalendarEventQuery = lazyObject(() => ({
  ...pageQuery,
  from: dayOrMoment.optional().meta({
    description:
      'The start of the range: a timestamp, or a date, which means 00:00 in the workspace’s time zone. Leaves out events that have ended by then, and deadlines due earlier.',
  }),
  to: dayOrMoment.optional().meta({
    description:
      'The end of the range: a timestamp, or a date, which is included as a whole day. Leaves out events that begin later, and deadlines due later.',
  }),
  type: z.enum(['event', 'meeting', 'deadline']).optional(),
  case_id: idFilter('case').optional(),
  attendee: idFilter('user').optional().meta({
    description: 'Events of this user, and deadlines assigned to them.',
  }),
  updated_since: updatedSince(),
}))

export type CalendarEventQuery = z.output<typeof CalendarEventQuery>

const manyUsers = z.lazy(() =>
  z
    .array(idOf('user'))
    .min(1, 'Name at least one user.')
    .max(maxUsers, `At most ${maxUsers} users.`)
    .transform((ids) => [...new Set(ids)]),
)
const rangeBound = dayOrMoment.meta({
  description:
    'A timestamp with `Z` or an offset, or a date in the workspace’s time zone. A date stands for the whole day.',
})

export const FreeBusyInput = z.lazy(() =>
  z
    .object({ user_ids: manyUsers, from: rangeBound, to: rangeBound })
    .meta({ id: 'FreeBusyInput', description: `The range is at most ${maxAvailabilityDays} days.` }),
)

export type FreeBusyInput = z.output<typeof FreeBusyInput>

export const FreeBusy = z.lazy(() =>
  z
    .object({
      busy: z.array(z.object({ user_id: shownId('user'), start: LocalTimestamp, end: LocalTimestamp })),
    })
    .meta({
      id: 'FreeBusy',
      description: 'Half-open intervals, sorted by user (in the order of the request) and then by start.',
    }),
)

export type FreeBusy = z.infer<typeof FreeBusy>

const timeOfDay = z.lazy(() =>
  z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'A time of day as HH:MM, 00:00 to 24:00.'),
)
const wholeNumber = (max: number) =>
  z.int('A whole number.').gte(1, 'At least 1.').lte(max, `At most ${max}.`)

export const OpenSlotsInput = z.lazy(() =>
  z
    .object({
      user_ids: manyUsers,
      from: rangeBound,
      to: rangeBound,
      duration_minutes: orDefault(z.int().gte(5, 'At least 5.').lte(480, 'At most 480.'), 30),
      step_minutes: orDefault(wholeNumber(1_440), 15).meta({
        description: 'Slots begin at multiples of this, counted from local midnight.',
      }),
      working_hours: orDefault(
        z
          .object({ start: orDefault(timeOfDay, '09:00'), end: orDefault(timeOfDay, '17:00') })
          .refine(({ start, end }) => start < end, {
            path: ['end'],
            message: 'It must be after the start.',
          }),
        { start: '09:00', end: '17:00' },
      ),
      limit: orDefault(wholeNumber(1_000), 50),
    })
    .meta({ id: 'OpenSlotsInput', description: `The range is at most ${maxAvailabilityDays} days.` }),
)

export type OpenSlotsInput = z.output<typeof OpenSlotsInput>

export const OpenSlots = namedObject('OpenSlots', () => ({
  slots: z.array(z.object({ start: LocalTimestamp, end: LocalTimestamp })),
}))

export type OpenSlots = z.infer<typeof OpenSlots>

export const IcalToken = namedObject('IcalToken', () => ({
  id: shownId('icalToken'),
  url: z.url().optional().meta({
    description:
      'The address to subscribe to. It contains the token and is shown only in this answer. The answer to a repeated request (`Idempotency-Key`) does not contain it.',
  }),
  created_at: Timestamp,
}))

export type IcalToken = z.infer<typeof IcalToken> & { url: string }

export const ListedIcalToken = namedObject('ListedIcalToken', () => ({
  id: shownId('icalToken'),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable().meta({
    description: 'When it was last used, to the hour. Null if never.',
  }),
}))

export type ListedIcalToken = z.infer<typeof ListedIcalToken>

export const RevokedIcalToken = namedObject('RevokedIcalToken', () => ({
  id: shownId('icalToken'),
  revoked_at: Timestamp,
}))
