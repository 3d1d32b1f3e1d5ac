import { withOffset } from '#german-time/local-time.ts'
import { type DayOrMoment, dueInstant } from '#german-time/time-range.ts'
import { Failure } from '#kernel/failure.ts'
import type { Basis } from './basis-schema.ts'
import { calculate, termsOf } from './calculate.ts'
import { type CalculationBody, calculationInput } from './calculation-schema.ts'
import type { Category } from './category.ts'
import type { WorkspaceSettings } from './ports.ts'

/** A due time with its calculation; `category` comes from the preset. */
export type Due = { due_at: string; basis: Basis | null; category: Category | undefined }

/**
 * The requested due time: calculated, or set by hand; undefined if neither is given (F13).
 *
 * @throws Failure DUE_DATE_MISMATCH if both are given and differ; VALIDATION_ERROR as in `calculationInput`
 */
export function dueOf(
  { due_at, calculation }: Asked,
  settings: Pick<WorkspaceSettings, 'time_zone' | 'holiday_region'>,
): Due | undefined {
  const given = due_at ? dueInstant(due_at, settings.time_zone) : undefined
  if (!calculation)
    return given === undefined ? undefined : { due_at: given, basis: null, category: undefined }
  const { basis, category, due_at: calculated } = calculatedDue(calculation, settings)
  if (given !== undefined && !sameSecond(given, calculated))
    throw mismatch(withOffset(new Date(calculated), settings.time_zone))
  return { due_at: calculated, basis, category }
}

type Asked = {
  due_at?: DayOrMoment | null | undefined
  calculation?: CalculationBody | null | undefined
}

function calculatedDue(
  body: CalculationBody,
  settings: Pick<WorkspaceSettings, 'time_zone' | 'holiday_region'>,
): Due {
  const input = calculationInput(body, settings, 'body.calculation')
  const { preset, period, direction } = termsOf(input)
  const { due_at, due_date, calculated_date, region, region_source, steps, warnings } = calculate(input)
  const basis = {
    preset: preset?.key ?? null,
    name: preset?.name ?? null,
    statute: preset?.statute ?? null,
    notfrist: preset?.notfrist ?? false,
    extendable: preset?.extendable ?? null,
    event_date: input.event_date ?? null,
    posted_on: input.posted_on ?? null,
    event_at: input.event_at ?? null,
    pronounced_on: input.pronounced_on ?? null,
    missed_on: input.missed_on ?? null,
    announced_on: input.announced_on ?? null,
    period,
    direction,
    region,
    region_source,
    calculated_date,
    due_date,
    steps,
    warnings,
  }
  return { due_at: new Date(due_at).toISOString(), basis, category: preset?.category }
}

/**
 * Whether the API shows two times as equal: it shows whole seconds (G6). So a client changes nothing if it sends back a
 * time that it received.
 */
export function sameSecond(one: string, other: string): boolean {
  return withOffset(new Date(one), 'UTC') === withOffset(new Date(other), 'UTC')
}

function mismatch(calculated: string): Failure {
  return new Failure(
    'invalid',
    'DUE_DATE_MISMATCH',
    `The calculation gives ${calculated}, not \`due_at\`. Send one of them, or find out which is right.`,
    { details: [{ path: 'body.due_at', message: `The calculation gives ${calculated}.` }] },
  )
}
