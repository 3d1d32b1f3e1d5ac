import { endpointsOf } from '#http/endpoint.ts'
import { listOf, onePage } from '#kernel/page.ts'
import type { RetentionService } from '#retention/retention.ts'
import { DisposedCases, DuePage, DueQuery, maxCountedTypes } from '#retention/schema.ts'
import { duePage } from './due-page.ts'

const endpoint = endpointsOf<{ retention: RetentionService }>()

export const listDueCases = endpoint({
  method: 'GET',
  path: '/api/v1/retention/due',
  access: 'cases:read',
  summary: 'List the cases whose retention period is over',
  description:
    'The closed cases that need not be kept any longer (§ 50 Abs. 1 BRAO) and are not on hold, in the order of their closing, with the number of records in each. Deleted cases are included, since their records are still stored; if a case was never closed, its period starts with the deletion. `Accept: text/html` returns a page to print.',
  query: DueQuery,
  output: DuePage,
  renderings: { 'text/html': { render: duePage } },
  headers: { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" },
  example: {
    query: { by: '2033-01-01' },
    answer: {
      data: [
        {
          case_id: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
          file_number: '0001/26',
          closed_at: '2026-03-16T08:30:00.000Z',
          deleted_at: null,
          retain_until: '2032-12-31',
          counts: { documents: 12, mails: 30, deadlines: 4, envelopes: 1, time_entries: 9, invoices: 2 },
        },
      ],
      pagination: onePage,
      by: '2033-01-01',
      workspace: { name: 'Kanzlei Vogt & Partner', time_zone: 'Europe/Berlin' },
    },
  },
  handle: ({ retention }, { actor, query }) => retention.due(actor, query),
})

export const getRetentionStatistics = endpoint({
  method: 'GET',
  path: '/api/v1/retention/statistics',
  access: 'cases:read',
  summary: 'Count the cases that were disposed of',
  description: `By the year of their closing, otherwise of their deletion, and by their type, without names. A type may contain a name, so it is shown only if two other cases have it, or if it was shown before; otherwise it is null. At most ${maxCountedTypes} types are counted.`,
  output: listOf(DisposedCases),
  example: {
    answer: {
      data: [
        { year: 2026, type: null, cases: 3 },
        { year: 2026, type: 'Mietrecht', cases: 41 },
      ],
    },
  },
  handle: ({ retention }, { actor }) => retention.statistics(actor),
})
