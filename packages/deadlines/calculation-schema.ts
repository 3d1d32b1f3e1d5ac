import * as z from 'zod'
import { holidayYears, type Place } from '#german-time/holidays.ts'
import { type Region, regions } from '#german-time/regions.ts'
import { invalid } from '#kernel/failure.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { pageLimit, pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { instantText, NullableText, Text } from '#kernel/text.ts'
import { absoluteFields } from './absolute.ts'
import { beginnings } from './begins.ts'
import { type CalculationInput, shifts } from './calculate.ts'
import { Category } from './category.ts'
import { type RegionSource, regionSources } from './courts.ts'
import { deliveryLaws } from './delivery.ts'
import { directions, starts, type Unit, units } from './period.ts'
import { areas } from './preset.ts'
import { presetKeys, presetOf } from './presets.ts'

/** The largest count of each unit (F10). */
export const maxCounts: Record<Unit, number> = {
  day: 36_500,
  week: 5_200,
  month: 1_200,
  year: 100,
  working_day: 1_000,
  hour: 8_760,
}

const allUnits = [...units, 'hour'] as const

const tableYears = `From ${holidayYears.first} to ${holidayYears.last}.`

function isInTable(date: string): boolean {
  const year = Number(date.slice(0, 4))
  return year >= holidayYears.first && year <= holidayYears.last
}

function tableDate() {
  return z.iso.date({ error: 'A calendar date, as YYYY-MM-DD.', abort: true }).refine(isInTable, tableYears)
}

const PeriodInput = z.lazy(() =>
  z
    .object({ unit: z.enum(allUnits), count: z.int().gte(1, 'At least 1.') })
    .refine(({ unit, count }) => count <= maxCounts[unit], {
      path: ['count'],
      error: ({ input }) => {
        const { unit } = input as { unit: Unit }
        return `At most ${maxCounts[unit]} of the unit ${unit}.`
      },
    }),
)

/**
 * The body of `POST /deadlines/calculate` (F10). It has exactly one of `preset` and `period`. With a preset, `start`
 * and `direction` may be repeated but not changed. Null is treated like a missing field.
 */
export const CalculationBody = z.lazy(() =>
  z
    .object({
      event_date: tableDate().nullish().meta({
        description:
          'The day of the event. Omit it with `posted_on` or `event_at`, or to calculate the absolute end only.',
      }),
      posted_on: tableDate().nullish().meta({
        description:
          'Instead of event_date: when the letter was posted. The law of the preset presumes when it came.',
      }),
      event_at: instantText().refine(isInTable, tableYears).nullish().meta({
        description: 'Instead of event_date, for a period of hours: the time of the event.',
      }),
      pronounced_on: tableDate().nullish().meta({
        description:
          'When the decision was pronounced. For presets whose absolute end is counted from that day.',
      }),
      missed_on: tableDate().nullish().meta({
        description: 'When the missed period ended. For presets whose absolute end is counted from that day.',
      }),
      announced_on: tableDate().nullish().meta({
        description:
          'When the decision was made known. For presets whose absolute end is counted from that day.',
      }),
      shift: z.enum(shifts).nullish().meta({
        description:
          '`none`: the end stays on a day off, like the end of a notice period. `auto` if omitted.',
      }),
      preset: z.enum(presetKeys).nullish(),
      period: PeriodInput.nullish(),
      start: z.enum(starts).nullish(),
      direction: z.enum(directions).nullish(),
      region: z.enum(regions).nullish().meta({
        description:
          'Where the act is due, ISO 3166-2. If omitted: the seat of the federal court that the preset names, otherwise the region of the workspace.',
      }),
      municipality: z.literal('Augsburg').nullish(),
      mariae_himmelfahrt: z.boolean().nullish(),
    })
    .check((context) => {
      const body = context.value
      if (body.preset && body.period) refuse(context, 'Send either `preset` or `period`, not both.', 'period')
      if (!body.preset && !body.period) refuse(context, 'Either `preset` or `period` is required.', 'preset')
      const events = (['event_date', 'posted_on', 'event_at'] as const).filter((name) => body[name])
      if (events.length > 1)
        refuse(context, `Send only one of ${events.join(', ')}.`, events[1] ?? 'event_date')
      const isHours = body.period?.unit === 'hour'
      if (isHours && !body.event_at) refuse(context, 'This is required for a period of hours.', 'event_at')
      if (isHours && body.direction === 'backward')
        refuse(context, 'Hours are counted forward only.', 'direction')
      if (!isHours && body.event_at) refuse(context, 'This is only for a period of hours.', 'event_at')
      const preset = body.preset ? presetOf(body.preset) : undefined
      if (body.posted_on && !preset?.delivery)
        refuse(
          context,
          'Only a preset with `delivery` can be counted from this date. Send `event_date`.',
          'posted_on',
        )
      for (const field of absoluteFields) {
        if (body[field] && preset?.absolute?.field !== field)
          refuse(context, `No absolute end of this period is counted from ${field}.`, field)
      }
      const isAbsoluteAlone = preset?.absolute !== undefined && body[preset.absolute.field]
      if (events.length === 0 && !isHours && !isAbsoluteAlone)
        refuse(context, 'A calendar date, as YYYY-MM-DD.', 'event_date')
      for (const field of ['pronounced_on', 'announced_on'] as const) {
        const event = body.event_date ?? body.posted_on
        if (event && body[field] && event < body[field])
          refuse(
            context,
            `The event must not be before ${field}.`,
            body.event_date ? 'event_date' : 'posted_on',
          )
      }
      if (preset === undefined) return
      if (preset.firstOfMonth && body.event_date && !body.event_date.endsWith('-01'))
        refuse(context, `The preset ${preset.key} counts from the first day of a month.`, 'event_date')
      for (const key of ['start', 'direction'] as const) {
        if (!body[key] || body[key] === preset[key]) continue
        refuse(context, `The preset ${preset.key} has ${key} ${preset[key]}.`, key)
      }
      if (preset.shift && body.shift && body.shift !== preset.shift)
        refuse(context, `The preset ${preset.key} has shift ${preset.shift}.`, 'shift')
    }),
)

export type CalculationBody = z.output<typeof CalculationBody>

/**
 * The input of `calculate` from a parsed body and the settings of the workspace. `path` is the place of this object in
 * the request.
 *
 * @throws Failure VALIDATION_ERROR if `municipality` or `mariae_himmelfahrt` is given but the place is outside Bayern or
 *   a federal court. If it were ignored, the answer would be for another place than the caller expects
 */
export function calculationInput(
  body: CalculationBody,
  workspace: { time_zone: string; holiday_region: Region },
  path = 'body',
): CalculationInput {
  const common = {
    ...placeOf(body, workspace.holiday_region, path),
    workspace_region: workspace.holiday_region,
    event_date: body.event_date ?? undefined,
    posted_on: body.posted_on ?? undefined,
    event_at: body.event_at ?? undefined,
    pronounced_on: body.pronounced_on ?? undefined,
    missed_on: body.missed_on ?? undefined,
    announced_on: body.announced_on ?? undefined,
    shift: body.shift ?? undefined,
    time_zone: workspace.time_zone,
  }
  if (body.preset) return { ...common, preset: body.preset }
  if (!body.period) throw invalid('Either `preset` or `period` is required.')
  return {
    ...common,
    period: body.period,
    start: body.start ?? undefined,
    direction: body.direction ?? undefined,
  }
}

/**
 * The place where the act is due: from the request, else the federal court of the preset, else the place of the firm.
 */
function placeOf(
  { preset, region, municipality, mariae_himmelfahrt }: CalculationBody,
  workspaceRegion: Region,
  path: string,
): Place & { region_source: RegionSource } {
  const court = preset ? presetOf(preset).court : undefined
  if (court && !region) {
    requireNone(
      { municipality, mariae_himmelfahrt: mariae_himmelfahrt && !court.mariae_himmelfahrt },
      court.seat,
      path,
    )
    return { region: court.region, mariae_himmelfahrt: court.mariae_himmelfahrt, region_source: 'court' }
  }
  const place: Place = {
    region: region ?? workspaceRegion,
    municipality: municipality ?? undefined,
    mariae_himmelfahrt: mariae_himmelfahrt ?? undefined,
  }
  if (place.region !== 'DE-BY')
    requireNone({ municipality, mariae_himmelfahrt }, `the region ${place.region}`, path)
  return { ...place, region_source: region ? 'request' : 'workspace' }
}

function requireNone(fields: Record<string, unknown>, where: string, path: string): void {
  const misplaced = Object.keys(fields).filter((name) => fields[name])
  if (misplaced.length === 0) return
  throw invalid(
    'Municipal holidays can be chosen for DE-BY only.',
    misplaced.map((name) => ({ path: `${path}.${name}`, message: `Not with ${where}.` })),
  )
}

export const CalculationStep = lazyObject(() => ({ rule: Text, date: z.iso.date(), text: Text }))

/** The answer of `POST /deadlines/calculate`. */
export const CalculationAnswer = lazyObject(() => ({
  due_date: z.iso.date(),
  due_at: z.iso
    .datetime({ offset: true })
    .meta({ description: 'End of due_date in the time zone of the workspace; for hours, the moment.' }),
  calculated_date: z.iso.date().meta({ description: 'Before it moves from a day off.' }),
  shifted: z.boolean(),
  shift_reason: NullableText,
  region: z.enum(regions).meta({ description: 'The Land whose holidays were counted.' }),
  region_source: z.enum(regionSources).meta({
    description:
      'Where the region comes from: the request, the seat of the federal court that the preset names, or the workspace.',
  }),
  delivered_on: z.iso.date().nullable().meta({
    description: 'When the posted letter counts as received; null without posted_on.',
  }),
  absolute: z.object({ statute: Text, due_date: z.iso.date(), decisive: z.boolean() }).nullable().meta({
    description:
      'The end that comes whether or not anything was served, and whether it is the earlier one; null if the date from which it runs was not given.',
  }),
  steps: z.array(CalculationStep),
  warnings: z.array(Text),
}))

/** The same with the second stage of the remedy, counted from the same service of the decision (F19). */
export const CalculationWithRelated = z.lazy(() =>
  CalculationAnswer.unwrap().extend({
    related: z.array(CalculationAnswer.unwrap().extend({ preset: Text, name: Text, statute: Text })),
  }),
)

export type CalculationWithRelated = z.infer<typeof CalculationWithRelated>

export const PresetQuery = lazyObject(() => ({
  limit: pageLimit()
    .optional()
    .meta({ description: 'The maximum number of presets on a page; all of them if omitted.' }),
  cursor: pageQuery.cursor,
}))

export type PresetQuery = z.output<typeof PresetQuery>

/** One entry of `GET /deadlines/presets`. */
export const PresetAnswer = namedObject('DeadlinePreset', () => ({
  key: Text,
  name: Text,
  area: z.enum(areas),
  event: z.string().meta({ description: 'The event on event_date.' }),
  period: z.object({ unit: z.enum(units), count: z.int() }),
  start: z.enum(starts),
  begins: z
    .object({
      kind: z.enum(beginnings).meta({ description: 'The day from which the period is counted.' }),
      period: z.object({ unit: z.enum(units), count: z.int() }).optional(),
      statute: Text,
    })
    .optional()
    .meta({
      description:
        'The period is counted from another day than `event_date`. `year_end`: 31 December of its year. `next_month`: the first day of the next month. `next_day`: the day after it. `after`: the last day of `period`, counted from `event_date` and not moved from a day off.',
    }),
  direction: z.enum(directions),
  statute: Text,
  court: z
    .object({ name: Text, seat: Text, region: z.enum(regions) })
    .optional()
    .meta({
      description: 'The federal court at which the act is due: its seat sets the region unless one is given.',
    }),
  category: Category,
  notfrist: z.boolean(),
  extendable: z.boolean(),
  extension: Text.optional().meta({
    description:
      'The court or person that may extend it, for how long, and whether the opponent must consent.',
  }),
  once: z.literal(true).optional().meta({ description: 'It may be extended once only.' }),
  absolute: z
    .object({
      field: z.enum(absoluteFields),
      period: z.object({ unit: z.enum(units), count: z.int() }),
      statute: Text,
      kind: z.enum(['start', 'end']),
    })
    .optional()
    .meta({
      description:
        'The end that comes whether or not anything was served, counted from the date in `field`. `start`: the period begins then at the latest; `end`: the act is too late after it.',
    }),
  delivery: z.enum(deliveryLaws).optional().meta({
    description: 'The law by which a posted decision counts as received; `posted_on` can be given.',
  }),
  shift: z.literal('none').optional(),
  related: Text.optional().meta({ description: 'The second stage of the remedy.' }),
  note: Text.optional(),
  caution: Text.optional(),
  checked_until: z.iso
    .date()
    .meta({ description: 'The date of the statute text that this entry was checked against.' }),
}))
