import * as z from 'zod'
import { holidayYears, type Place } from '#german-time/holidays.ts'
import { type Region, regions } from '#german-time/regions.ts'
import { invalid } from '#kernel/failure.ts'
import { pageLimit, pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { NullableText, Text } from '#kernel/text.ts'
import type { CalculationInput } from './calculate.ts'
import { type RegionSource, regionSources } from './courts.ts'
import { directions, starts, type Unit, units } from './period.ts'
import { areas, presetKeys, presetOf } from './presets.ts'

/** The largest count of each unit (F10). */
export const maxCounts: Record<Unit, number> = { day: 36_500, week: 5_200, month: 1_200, year: 100 }

const PeriodInput = z
  .object({ unit: z.enum(units), count: z.int().gte(1, 'At least 1.') })
  .refine(({ unit, count }) => count <= maxCounts[unit], {
    path: ['count'],
    error: ({ input }) => {
      const { unit } = input as { unit: Unit }
      return `At most ${maxCounts[unit]} of the unit ${unit}.`
    },
  })

/**
 * The body of `POST /deadlines/calculate` (F10). Exactly one of `preset` and `period`; beside a preset, `start` and
 * `direction` may be repeated but not changed. Null is treated like a missing field.
 */
export const CalculationBody = z.lazy(() =>
  z
    .object({
      event_date: z.iso
        .date({ error: 'A date of the calendar as YYYY-MM-DD.', abort: true })
        .refine(
          (date) =>
            Number(date.slice(0, 4)) >= holidayYears.first && Number(date.slice(0, 4)) <= holidayYears.last,
          `From ${holidayYears.first} to ${holidayYears.last}.`,
        ),
      preset: z.enum(presetKeys).nullish(),
      period: PeriodInput.nullish(),
      start: z.enum(starts).nullish(),
      direction: z.enum(directions).nullish(),
      region: z.enum(regions).nullish().meta({
        description:
          'Where the act is due, ISO 3166-2. Omitted, it is the seat of the federal court that the preset names, else the region of the workspace.',
      }),
      municipality: z.literal('Augsburg').nullish(),
      mariae_himmelfahrt: z.boolean().nullish(),
    })
    .check((context) => {
      const body = context.value
      if (body.preset && body.period) refuse(context, 'Either preset or period, not both.', 'period')
      if (!body.preset && !body.period) refuse(context, 'Either preset or period is required.', 'preset')
      if (!body.preset) return
      const preset = presetOf(body.preset)
      for (const key of ['start', 'direction'] as const) {
        if (!body[key] || body[key] === preset[key]) continue
        refuse(context, `The preset ${preset.key} has ${key} ${preset[key]}.`, key)
      }
    }),
)

export type CalculationBody = z.output<typeof CalculationBody>

/**
 * The input of `calculate` from a parsed body and the settings of the workspace. `path` is where the body stands in
 * the request.
 *
 * @throws Failure VALIDATION_ERROR where a Bavarian municipality is named beside a place that is not in Bayern, or
 *   beside a federal court: to ignore it would answer another question
 */
export function calculationInput(
  body: CalculationBody,
  workspace: { time_zone: string; holiday_region: Region },
  path = 'body',
): CalculationInput {
  const common = {
    ...placeOf(body, workspace.holiday_region, path),
    workspace_region: workspace.holiday_region,
    event_date: body.event_date,
    time_zone: workspace.time_zone,
  }
  if (body.preset) return { ...common, preset: body.preset }
  if (!body.period) throw invalid('Either preset or period is required.')
  return {
    ...common,
    period: body.period,
    start: body.start ?? undefined,
    direction: body.direction ?? undefined,
  }
}

/** Where the act is due: where the request says, else at the federal court of the preset, else where the firm is. */
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

/** One step of the explanation. */
export const CalculationStep = z.object({ rule: Text, date: z.iso.date(), text: Text })

/** The answer of `POST /deadlines/calculate`. */
export const CalculationAnswer = z.lazy(() =>
  z.object({
    due_date: z.iso.date(),
    due_at: z.iso
      .datetime({ offset: true })
      .meta({ description: 'End of due_date in the time zone of the workspace.' }),
    calculated_date: z.iso.date().meta({ description: 'Before it moves from a day off.' }),
    shifted: z.boolean(),
    shift_reason: NullableText,
    region: z.enum(regions).meta({ description: 'The Land whose holidays were counted.' }),
    region_source: z.enum(regionSources).meta({
      description:
        'Who named it: the request, the seat of the federal court that the preset names, or the workspace.',
    }),
    steps: z.array(CalculationStep),
    warnings: z.array(Text),
  }),
)

export const PresetQuery = z.object({
  limit: pageLimit.optional().meta({ description: 'How many a page holds at most; all of them if omitted.' }),
  cursor: pageQuery.cursor,
})

export type PresetQuery = z.output<typeof PresetQuery>

/** One entry of `GET /deadlines/presets`. */
export const PresetAnswer = z.lazy(() =>
  z.object({
    key: Text,
    name: Text,
    area: z.enum(areas),
    event: z.string().meta({ description: 'What happens on event_date.' }),
    period: z.object({ unit: z.enum(units), count: z.int() }),
    start: z.enum(starts),
    direction: z.enum(directions),
    statute: Text,
    court: z
      .object({ name: Text, seat: Text, region: z.enum(regions) })
      .optional()
      .meta({
        description: 'The federal court at which the act is due: its seat decides unless a region is given.',
      }),
    notfrist: z.boolean(),
    extendable: z.boolean(),
    note: Text.optional(),
  }),
)
