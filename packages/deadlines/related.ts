import { type Calculation, calculate } from './calculate.ts'
import { type CalculationBody, calculationInput } from './calculation-schema.ts'
import type { WorkspaceSettings } from './ports.ts'
import type { Preset } from './preset.ts'
import { type PresetKey, presetOf } from './presets.ts'

export type CalculationWithRelated = Calculation & {
  related: (Calculation & { preset: string; name: string; statute: string })[]
}

/**
 * A calculation and, of a remedy in two stages, that of the second from the same service: each exactly as it would be
 * calculated alone (F19). The second may be due at another court.
 *
 * @throws Failure VALIDATION_ERROR as `calculationInput`
 */
export function calculationWithRelated(
  body: CalculationBody,
  settings: Pick<WorkspaceSettings, 'time_zone' | 'holiday_region'>,
): CalculationWithRelated {
  const first = calculate(calculationInput(body, settings))
  const related: Preset | undefined = body.preset ? presetOf(body.preset) : undefined
  if (related?.related === undefined) return { ...first, related: [] }
  const key = related.related as PresetKey
  const { name, statute, absolute } = presetOf(key)
  // A date that only the first stage has an absolute end for says nothing of the second.
  const known = (field: 'pronounced_on' | 'missed_on' | 'announced_on') =>
    absolute?.field === field ? body[field] : null
  const second = calculate(
    calculationInput(
      {
        ...body,
        preset: key,
        pronounced_on: known('pronounced_on'),
        missed_on: known('missed_on'),
        announced_on: known('announced_on'),
      },
      settings,
    ),
  )
  return { ...first, related: [{ preset: key, name, statute, ...second }] }
}
