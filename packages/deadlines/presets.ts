import type { Preset } from './preset.ts'
import { arbeitPresets } from './presets/arbeit.ts'
import { arbggPresets } from './presets/arbgg.ts'
import { asylgPresets } from './presets/asylg.ts'
import { bgbPresets, wegPresets } from './presets/bgb.ts'
import { bverfggPresets } from './presets/bverfgg.ts'
import { famfgPresets } from './presets/famfg.ts'
import { fgoPresets } from './presets/fgo.ts'
import { insoPresets } from './presets/inso.ts'
import { kostenPresets } from './presets/kosten.ts'
import { sggPresets } from './presets/sgg.ts'
import { stpoPresets } from './presets/stpo.ts'
import { vwgoPresets } from './presets/vwgo.ts'
import { zpoPresets } from './presets/zpo.ts'

/** The common periods of German procedure, one file per field of law. */
const table = [
  ...zpoPresets,
  ...famfgPresets,
  ...wegPresets,
  ...bgbPresets,
  ...bverfggPresets,
  ...insoPresets,
  ...kostenPresets,
  ...arbeitPresets,
  ...arbggPresets,
  ...vwgoPresets,
  ...asylgPresets,
  ...sggPresets,
  ...fgoPresets,
  ...stpoPresets,
] as const

export type PresetKey = (typeof table)[number]['key']

/** All presets, ordered by area. */
export const presets: readonly Preset[] = table

export const presetKeys = table.map(({ key }) => key)

export function presetOf(key: PresetKey): Preset {
  return presetByKey.get(key) as Preset
}

/** The preset of a stored key; undefined if it no longer exists. */
export function findPreset(key: string): Preset | undefined {
  return presetByKey.get(key)
}

const presetByKey = new Map<string, Preset>(presets.map((preset) => [preset.key, preset]))
