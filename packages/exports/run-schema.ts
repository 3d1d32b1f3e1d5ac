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
      'Why it failed: `datev_settings_missing`, `invalid_configuration`, `unavailable`, `too_long`, `interrupted` or `internal_error`. But for the first two it is tried again.',
  }),
  row_count: z.int().nullable(),
  size_bytes: z.int().nullable(),
}))

export type ExportRun = z.infer<typeof ExportRun>
