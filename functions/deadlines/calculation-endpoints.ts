import {
  CalculationBody,
  CalculationWithRelated,
  PresetAnswer,
  PresetQuery,
} from '#deadlines/calculation-schema.ts'
import type { DeadlineService } from '#deadlines/deadlines.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { onePage, pageOf } from '#kernel/page.ts'
import { calculation, preset } from './examples.ts'

const endpoint = endpointsOf<{ deadlines: DeadlineService }>()

export const listDeadlinePresets = endpoint({
  method: 'GET',
  path: '/api/v1/deadlines/presets',
  access: 'deadlines:read',
  summary: 'List the presets of German procedural periods',
  query: PresetQuery,
  output: pageOf(PresetAnswer),
  example: { answer: { data: [preset], pagination: onePage } },
  handle: ({ deadlines }, { actor, query }) => deadlines.listPresets(actor, query),
})

export const calculateDeadline = endpoint({
  method: 'POST',
  path: '/api/v1/deadlines/calculate',
  access: 'deadlines:read',
  summary: 'Calculate when a period ends',
  description:
    'Returns every step of the calculation in German, with its legal basis (§§ 187 to 193 BGB, § 222 ZPO), and stores nothing. The public holidays are those of the place where the act is due: of `region`, otherwise of the seat of the federal court that the preset names, otherwise of the workspace. `region` and `region_source` in the answer name the region that was used.',
  body: CalculationBody,
  output: CalculationWithRelated,
  storedAlone: 'It changes nothing.',
  storesNothing: true,
  example: {
    body: { event_date: '2026-05-04', preset: 'arbgg_nichtzulassungsbeschwerde' },
    answer: calculation,
  },
  handle: ({ deadlines }, { actor, body }) => deadlines.calculate(actor, body),
})
