import { type Calculation, calculate } from './calculate.ts'
import { type CalculationBody, calculationInput } from './calculation-schema.ts'
import type { WorkspaceSettings } from './ports.ts'
import type { Preset } from './preset.ts'
import { type PresetKey, presetOf } from './presets.ts'

export type CalculationWithRelated = Calculation & {
  related: (Calculation & { preset: string; name: string; statute: string })[]
}

/**
 * A calculation and, for a remedy in two stages, the calculation of the second stage, from the same service of the
 * decision. Each is exactly as it would be alone (F19). The place in the request belongs to the first stage. If the
 * second stage is due at another court, the seat of that court counts. For example, the reasons of a Revision are due
 * in Leipzig, not where the Revision is filed (§ 139 Abs. 3 VwGO).
 *
 * @throws Failure VALIDATION_ERROR as `calculationInput`
 */
export function calculationWithRelated(
  body: CalculationBody,
  settings: Pick<WorkspaceSettings, 'time_zone' | 'holiday_region'>,
): CalculationWithRelated {
  const first = calculate(calculationInput(body, settings))
  const preset: Preset | undefined = body.preset ? presetOf(body.preset) : undefined
  if (preset?.related === undefined) return { ...first, related: [] }
  const key = preset.related as PresetKey
  const { name, statute, absolute, court } = presetOf(key)
  const isElsewhere = court !== undefined && court.name !== preset.court?.name
  // The second stage takes such a date only if its own absolute end runs from it.
  const known = (field: 'pronounced_on' | 'missed_on' | 'announced_on') =>
    absolute?.field === field ? body[field] : null
  const second = calculate(
    calculationInput(
      {
        ...body,
        ...(isElsewhere && { region: null, municipality: null, mariae_himmelfahrt: null }),
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
