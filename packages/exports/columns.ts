import { type FailureDetail, invalid } from '#kernel/failure.ts'
import { sources } from './sources.ts'
import type { Column, ExportSourceName } from './table-schema.ts'

/** A configured column. */
export type ColumnInput = { field: string; label?: string | null | undefined }

/**
 * The faults in the columns of a source: fields that it does not have, and repeated fields (X2).
 */
export function columnFaults(
  source: ExportSourceName,
  columns: readonly ColumnInput[] | null | undefined,
): FailureDetail[] {
  const known = new Set(sources[source].fields.map(({ field }) => field))
  const seen = new Set<string>()
  return (columns ?? []).flatMap(({ field }, at) => {
    const path = `columns.${at}.field`
    if (!known.has(field)) return [{ path, message: `${source} has the fields ${[...known].join(', ')}.` }]
    if (seen.has(field)) return [{ path, message: 'This field occurs twice.' }]
    seen.add(field)
    return []
  })
}

/**
 * The columns of an export, with their types. If none are configured: all fields of the source in its order. A column
 * without a label gets the German name of its field (X2).
 *
 * @throws Failure VALIDATION_ERROR for a field that the source does not have, or a repeated one
 */
export function columnsOf(
  source: ExportSourceName,
  configured: readonly ColumnInput[] | null,
): readonly Column[] {
  const { fields } = sources[source]
  if (configured === null) return fields
  const faults = columnFaults(source, configured)
  if (faults.length > 0)
    throw invalid(
      'The columns do not fit the source.',
      faults.map(({ path, message }) => ({ path: `body.${path}`, message })),
    )
  const byName = new Map(fields.map((field) => [field.field, field]))
  return configured.flatMap(({ field, label }) => {
    const known = byName.get(field)
    return known === undefined ? [] : [{ ...known, label: label || known.label }]
  })
}
