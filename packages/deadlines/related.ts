import { calculate } from './calculate.ts'
import { type CalculationBody, type CalculationWithRelated, calculationInput } from './calculation-schema.ts'
import type { WorkspaceSettings } from './ports.ts'
import type { Preset } from './preset.ts'
import { type PresetKey, presetOf } from './presets.ts'

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
  const { name, statute, court } = presetOf(key)
  const isElsewhere = court !== undefined && court.name !== preset.court?.name
  const second = calculate(
    calculationInput(
      {
        ...body,
        ...(isElsewhere && { region: null, municipality: null, mariae_himmelfahrt: null }),
        preset: key,
      },
      settings,
    ),
  )
  return { ...first, related: [{ preset: key, name, statute, ...second }] }
}
