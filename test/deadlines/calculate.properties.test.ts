import { expect, test } from 'vitest'
import { type CalculationInput, calculate } from '#deadlines/calculate.ts'
import { CalculationAnswer, CalculationBody, maxCounts } from '#deadlines/calculation-schema.ts'
import { type Period, starts, units } from '#deadlines/period.ts'
import { presetKeys, presetOf, presets } from '#deadlines/presets.ts'
import { calculationWithRelated } from '#deadlines/related.ts'
import { calendarDateOf, dayNumber, dayNumberOf } from '#german-time/calendar-date.ts'
import { isDayOff, type Place } from '#german-time/holidays.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { regions } from '#german-time/regions.ts'
import fc from '#test/support/properties.ts'

const first = dayNumber(2017, 1, 1)
const last = dayNumber(2040, 12, 31)

fc.configureGlobal({ numRuns: 500 })

const eventDay = fc.integer({ min: first, max: last })

const place: fc.Arbitrary<Place> = fc.oneof(
  fc.constantFrom(...regions).map((region) => ({ region })),
  fc.constant({ region: 'DE-BY', municipality: 'Augsburg' } as const),
  fc.constant({ region: 'DE-BY', mariae_himmelfahrt: true } as const),
)

const period: fc.Arbitrary<Period> = fc
  .constantFrom(...units)
  .chain((unit) => fc.integer({ min: 1, max: maxCounts[unit] }).map((count) => ({ unit, count })))

const shortPeriod: fc.Arbitrary<Period> = fc.record({
  unit: fc.constantFrom(...units),
  count: fc.integer({ min: 1, max: 40 }),
})

const start = fc.constantFrom(...starts)

function input(day: number, where: Place, terms: object): CalculationInput {
  return {
    ...where,
    region_source: 'request',
    event_date: calendarDateOf(day),
    time_zone: 'Europe/Berlin',
    ...terms,
  } as CalculationInput
}

test('a forward period never ends on a day off, nor before the day it was counted to', () => {
  fc.assert(
    fc.property(eventDay, place, period, start, (day, where, period, start) => {
      const { due_date, calculated_date, shifted } = calculate(input(day, where, { period, start }))

      expect(isDayOff(due_date, where)).toBe(false)
      expect(due_date >= calculated_date).toBe(true)
      expect(shifted).toBe(isDayOff(calculated_date, where))
    }),
  )
})

test('a backward period never ends on a day off or after the day it was counted to, and ends before the event', () => {
  fc.assert(
    fc.property(eventDay, place, period, start, (day, where, period, start) => {
      const { due_date, calculated_date } = calculate(
        input(day, where, { period, start, direction: 'backward' }),
      )

      expect(isDayOff(due_date, where)).toBe(false)
      expect(due_date <= calculated_date).toBe(true)
      expect(calculated_date < calendarDateOf(day)).toBe(true)
    }),
  )
})

test('a later event never has an earlier end, in both directions', () => {
  fc.assert(
    fc.property(
      eventDay,
      fc.integer({ min: 1, max: 62 }),
      place,
      shortPeriod,
      start,
      fc.constantFrom('forward', 'backward'),
      (day, later, where, period, start, direction) => {
        const one = calculate(input(day, where, { period, start, direction }))
        const other = calculate(input(Math.min(day + later, last), where, { period, start, direction }))

        expect(one.due_date <= other.due_date).toBe(true)
        expect(one.calculated_date <= other.calculated_date).toBe(true)
      },
    ),
  )
})

test('between the day counted to and the due day there are only days off', () => {
  fc.assert(
    fc.property(
      eventDay,
      place,
      shortPeriod,
      fc.constantFrom('forward', 'backward'),
      (day, where, period, direction) => {
        const { due_date, calculated_date } = calculate(input(day, where, { period, direction }))
        const [from, to] = [dayNumberOf(calculated_date), dayNumberOf(due_date)]
        const step = direction === 'forward' ? 1 : -1

        for (let between = from; between !== to; between += step) {
          expect(isDayOff(calendarDateOf(between), where)).toBe(true)
        }
      },
    ),
  )
})

test('a first day that counts ends the period one day earlier than the day before it as event', () => {
  fc.assert(
    fc.property(
      eventDay,
      place,
      fc.integer({ min: 1, max: 5_000 }),
      fc.constantFrom('day', 'week'),
      (day, where, count, unit) => {
        const counted = calculate(input(day, where, { period: { unit, count }, start: 'start_of_day' }))
        const event = calculate(input(Math.max(day - 1, first), where, { period: { unit, count } }))

        expect(counted.calculated_date).toBe(day === first ? counted.calculated_date : event.calculated_date)
      },
    ),
  )
})

test('the steps are the reasoning of the answer: they pass the day counted to and arrive at the due day', () => {
  fc.assert(
    fc.property(
      eventDay,
      place,
      period,
      start,
      fc.constantFrom('forward', 'backward'),
      (day, where, period, start, direction) => {
        const answer = calculate(input(day, where, { period, start, direction }))

        expect(answer.steps.map(({ date }) => date)).toContain(answer.calculated_date)
        expect(answer.steps.at(-1)?.date).toBe(answer.due_date)
        expect(answer.shift_reason === null).toBe(!answer.shifted)
        expect(CalculationAnswer.parse(answer)).toEqual(answer)
      },
    ),
  )
})

test('every preset has an answer on every day of the table', () => {
  fc.assert(
    fc.property(eventDay, place, fc.constantFrom(...presetKeys), (day, where, preset) => {
      const answer = calculate(input(day, where, { preset }))

      const stays = presetOf(preset).shift === 'none'
      expect(stays ? answer.shifted : isDayOff(answer.due_date, where)).toBe(false)
      expect(CalculationAnswer.parse(answer)).toEqual(answer)
    }),
  )
})

const dateAfter = (day: number, days: number) => calendarDateOf(Math.min(day + days, last))

test('an absolute end is never later than the end without it (F19)', () => {
  const withAbsolute = presets.filter(({ absolute }) => absolute !== undefined)
  fc.assert(
    fc.property(
      eventDay,
      fc.integer({ min: 0, max: 500 }),
      place,
      fc.constantFrom(...withAbsolute),
      (day, later, where, preset) => {
        const event_date = dateAfter(day, later)
        const known = { [preset.absolute?.field ?? '']: calendarDateOf(day) }
        const without = calculate(input(day, where, { preset: preset.key, event_date }))
        const bounded = calculate(input(day, where, { preset: preset.key, event_date, ...known }))

        expect(bounded.due_date <= without.due_date).toBe(true)
        expect(bounded.due_date).toBe([without.due_date, bounded.absolute?.due_date ?? ''].toSorted()[0])
        expect(bounded.steps.at(-1)?.date).toBe(bounded.due_date)
        expect(CalculationAnswer.parse(bounded)).toEqual(bounded)
      },
    ),
  )
})

test('without a shift the end is the day counted to, never later forward and never earlier backward', () => {
  fc.assert(
    fc.property(
      eventDay,
      place,
      period,
      fc.constantFrom('forward', 'backward'),
      (day, where, period, direction) => {
        const stays = calculate(input(day, where, { period, direction, shift: 'none' }))
        const moves = calculate(input(day, where, { period, direction }))

        expect(stays.due_date).toBe(stays.calculated_date)
        expect(stays.due_date).toBe(moves.calculated_date)
        expect(
          direction === 'forward' ? stays.due_date <= moves.due_date : stays.due_date >= moves.due_date,
        ).toBe(true)
      },
    ),
  )
})

test('the period of a federal court does not depend on the region of the firm (F19)', () => {
  const federal = presets.filter(({ court }) => court !== undefined)
  fc.assert(
    fc.property(
      eventDay,
      fc.constantFrom(...federal),
      fc.constantFrom(...regions),
      fc.constantFrom(...regions),
      (day, { key }, one, other) => {
        const dueIn = (holiday_region: (typeof regions)[number]) =>
          calculationWithRelated(CalculationBody.parse({ preset: key, event_date: calendarDateOf(day) }), {
            time_zone: 'Europe/Berlin',
            holiday_region,
          }).due_date

        expect(dueIn(one)).toBe(dueIn(other))
      },
    ),
  )
})

test('a related period equals a separate calculation (F19)', () => {
  const stages = presets.filter(({ related }) => related !== undefined)
  fc.assert(
    fc.property(
      eventDay,
      fc.constantFrom(...stages),
      fc.constantFrom(...regions),
      (day, preset, holiday_region) => {
        const workspace = { time_zone: 'Europe/Berlin', holiday_region } as const
        const of = (key: string | undefined) =>
          calculationWithRelated(
            CalculationBody.parse({ preset: key, event_date: calendarDateOf(day) }),
            workspace,
          )

        const { related: _, ...alone } = of(preset.related)
        expect(of(preset.key).related[0]).toMatchObject({ preset: preset.related, ...alone })
      },
    ),
  )
})

test('hours end no earlier than on the clock, and not on a day off', () => {
  const moment = fc.date({ min: new Date('2017-01-01'), max: new Date('2040-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(moment, place, fc.integer({ min: 1, max: 300 }), (at, where, count) => {
      const event_at = at.toISOString()
      const answer = calculate(
        input(0, where, { event_date: undefined, event_at, period: { unit: 'hour', count } }),
      )

      const exact = at.getTime() + count * 3_600_000
      expect(Date.parse(answer.due_at)).toBeGreaterThanOrEqual(exact - 1_000)
      const lastMinute = new Date(Date.parse(answer.due_at) - 1_000).toISOString()
      expect(isDayOff(localDateOf(new Date(lastMinute), 'Europe/Berlin'), where)).toBe(false)
    }),
  )
})
