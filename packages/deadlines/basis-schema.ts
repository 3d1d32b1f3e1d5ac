import * as z from 'zod'
import { regions } from '#german-time/regions.ts'
import { NullableText, Text } from '#kernel/text.ts'
import { CalculationStep } from './calculation-schema.ts'
import { regionSources } from './courts.ts'
import { directions, units } from './period.ts'

/**
 * How a due time was calculated, as it was shown when the deadline was entered (F13). The second person checks the due
 * time against it. Later corrections of presets do not change it.
 */
export const Basis = z.lazy(() =>
  z
    .object({
      preset: NullableText.meta({ description: 'Null if a period was given.' }),
      name: NullableText,
      statute: NullableText,
      notfrist: z.boolean(),
      extendable: z.boolean().nullable().meta({ description: 'Null without a preset.' }),
      event_date: NullableText.meta({ format: 'date' }),
      posted_on: NullableText.meta({ format: 'date' }),
      event_at: NullableText.meta({ format: 'date-time' }),
      pronounced_on: NullableText.meta({ format: 'date' }),
      missed_on: NullableText.meta({ format: 'date' }),
      announced_on: NullableText.meta({ format: 'date' }),
      period: z.object({ unit: z.enum([...units, 'hour']), count: z.int() }),
      direction: z.enum(directions),
      region: z.enum(regions),
      region_source: z.enum(regionSources),
      calculated_date: z.iso.date(),
      due_date: z.iso.date(),
      steps: z.array(CalculationStep),
      warnings: z.array(Text),
    })
    .meta({
      id: 'Basis',
      description:
        'How the due time was calculated; null if it was set by hand, or if the calculation was removed.',
    }),
)

export type Basis = z.infer<typeof Basis>
