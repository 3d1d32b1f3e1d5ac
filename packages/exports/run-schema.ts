import * as z from 'zod'
import { shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { NullableText, Timestamp } from '#kernel/text.ts'

export const runStatuses = ['running', 'succeeded', 'failed'] as const

/** A run of a configuration by its schedule (X5). */
export const ExportRun = namedObject('ExportRun', () => ({
  id: shownId('exportRun'),
  started_at: Timestamp,
  finished_at: Timestamp.nullable(),
  status: z.enum(runStatuses),
  status_reason: NullableText.meta({
    description:
      'Why the run failed: `datev_settings_missing`, `invalid_configuration`, `unavailable`, `too_long`, `interrupted` or `internal_error`. It is retried, except for the first two reasons.',
  }),
  row_count: z.int().nullable(),
  size_bytes: z.int().nullable(),
}))

export type ExportRun = z.infer<typeof ExportRun>

/** The reasons that only the firm can fix: a run that failed for one of them is not retried. */
export const finalReasons: readonly (string | null)[] = ['datev_settings_missing', 'invalid_configuration']
