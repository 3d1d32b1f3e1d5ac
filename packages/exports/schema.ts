import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { idText, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { isOfObject } from '#kernel/refuse.ts'
import { descriptionText, NullableText, nameText, Text, Timestamp, text } from '#kernel/text.ts'
import { columnFaults } from './columns.ts'
import { readFilters } from './filters.ts'
import { Schedule } from './schedule-schema.ts'
import { exportSources, FieldType } from './table-schema.ts'

export const exportFormats = ['json', 'csv', 'xlsx'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** How CSV is written (X3). */
export const csvDialects = ['rfc4180', 'excel-de', 'datev'] as const

export type CsvDialect = (typeof csvDialects)[number]

const source = z.enum(exportSources)
const format = z.enum(exportFormats)
const csvDialect = z.enum(csvDialects)

const day = z
  .string()
  .meta({ format: 'date', description: 'A day, inclusive, in the workspace’s time zone.' })

/** The form of each filter. `GET /exports/sources` lists the filters of each source. */
const filterShape = {
  date_from: day.optional(),
  date_to: day.optional(),
  status: z.string().optional(),
  type: z.string().optional(),
  dezernat: z.string().optional(),
  case_id: idText('case').optional(),
  party_id: idText('party').optional(),
  user_id: idText('user').optional(),
  folder_id: idText('folder').optional(),
  billable: z.boolean().optional(),
}

/** The filters of an export that are set. */
export const ExportFilters = namedObject('ExportFilters', () => filterShape)

export const ExportColumn = namedObject('ExportColumn', () => ({ field: Text, label: Text }))

export type ExportColumn = z.infer<typeof ExportColumn>

/** The content and the format of an export (X2). */
export const ExportConfig = namedObject('ExportConfig', () => ({
  id: shownId('exportConfig'),
  name: Text,
  description: NullableText,
  source,
  format,
  csv_dialect: csvDialect.nullable().meta({ description: 'Null if the format is not `csv`.' }),
  filters: ExportFilters,
  columns: z.array(ExportColumn),
  schedule: Schedule.nullable(),
  last_executed_at: Timestamp.nullable().meta({
    description: 'When it was last executed, retrieved, or run by its schedule.',
  }),
  created_at: Timestamp,
}))

export type ExportConfig = z.infer<typeof ExportConfig>

/** Filters from a request. Their faults have the code `INVALID_FILTER`, so `checkSource` checks them. */
const filters = z
  .unknown()
  .optional()
  .meta({
    type: ['object', 'null'],
    description:
      'The filters for the rows; `GET /exports/sources` lists the filters of each source. Null: all rows.',
    properties: Object.fromEntries(
      Object.entries(filterShape).map(([name, filter]) => {
        const { type } = filter.unwrap()
        return [name, { ...filter.unwrap().meta(), type: [type, 'null'] }]
      }),
    ),
  })

const columns = z.lazy(() =>
  z
    .array(
      z.object({
        field: z.string(),
        label: text(500)
          .nullish()
          .meta({ description: 'If missing or empty: the German name of the field.' }),
      }),
    )
    .max(100)
    .nullish()
    .meta({ description: 'If missing, null or empty: all fields of the source, in its order.' }),
)

const description = descriptionText().nullish()
const dialect = csvDialect.nullish().meta({
  description:
    'Only with `csv`, by default `rfc4180`; `datev` only with `invoices`. A `datev` batch has the bookings of one calendar year: of `date_from` or `date_to`, otherwise of the current year. A schedule without `date_to` goes on from year to year: a run is for the year of the newest run that has succeeded, so the first one of a year is for the old year. Without `status`, and with `issued`, a batch has every invoice that was issued, also if it was paid or cancelled later.',
})
const schedule = Schedule.nullish()

type Given = {
  source?: unknown
  format?: unknown
  csv_dialect?: unknown
  filters?: unknown
  columns?: unknown
}

/**
 * Refuses first an unknown source, then filters that the source does not have, then unknown fields (X1, X2). Without a
 * source, it refuses only filters and fields that no source accepts.
 */
function checkSource(given: Given, context: z.core.$RefinementCtx): void {
  const named = given.source
  const possible = exportSources.filter((name) => named === undefined || named === null || name === named)
  if (possible.length === 0) {
    context.addIssue({
      code: 'custom',
      params: { code: 'INVALID_SOURCE' },
      path: ['source'],
      message: `There is no such source. The sources are ${exportSources.join(', ')}.`,
    })
    return
  }
  const filterFaults = possible.map((name) => readFilters(name, given.filters).fault)
  for (const { filter, message } of common(filterFaults.map(asList), {
    filter: undefined,
    message: 'No source has such filters. GET /api/v1/exports/sources lists the filters of each.',
  }))
    context.addIssue({
      code: 'custom',
      params: { code: 'INVALID_FILTER' },
      path: ['filters', ...(filter === undefined ? [] : [filter])],
      message,
    })
  for (const { path, message } of dialectFaults(given))
    context.addIssue({ code: 'custom', path: [path], message })
  if (!isColumnList(given.columns)) return
  const wrong = given.columns
  for (const { path, message } of common(
    possible.map((name) => columnFaults(name, wrong)),
    {
      path: 'columns',
      message: 'No source has such columns. GET /api/v1/exports/sources lists the fields of each.',
    },
  ))
    context.addIssue({ code: 'custom', path: path.split('.'), message })
}

/**
 * The faults of the dialect: only CSV has one, and DATEV accepts only invoices (X3). Missing fields are not checked.
 */
export function dialectFaults(
  given: Pick<Given, 'source' | 'format' | 'csv_dialect'>,
): { path: string; message: string }[] {
  const { source: named, format: chosen, csv_dialect } = given
  if (csv_dialect === undefined || csv_dialect === null) return []
  const path = 'csv_dialect'
  if (chosen !== undefined && chosen !== 'csv')
    return [{ path, message: 'Only the format csv has a dialect.' }]
  if (csv_dialect === 'datev' && named !== undefined && named !== 'invoices')
    return [{ path, message: 'The dialect datev is only for the source invoices.' }]
  return []
}

/** No faults if one source has none; the faults if all sources have the same ones; `otherwise` if they differ. */
function common<Fault>(faults: Fault[][], otherwise: Fault): Fault[] {
  const [first = []] = faults
  if (faults.some(({ length }) => length === 0)) return []
  return faults.every((some) => isDeepStrictEqual(some, first)) ? first : [otherwise]
}

const asList = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value])

function isColumnList(columns: unknown): columns is { field: string }[] {
  return Array.isArray(columns) && columns.every((column) => typeof column?.field === 'string')
}

/** A new configuration. */
export const ExportConfigInput = z.lazy(() =>
  z
    .object({
      name: nameText(),
      description,
      source,
      format,
      csv_dialect: dialect,
      filters,
      columns,
      schedule,
    })
    .superRefine(checkSource, { when: isOfObject })
    .meta({ id: 'ExportConfigInput' }),
)

export type ExportConfigInput = z.infer<typeof ExportConfigInput>

/** Only included fields change. */
export const ExportConfigChanges = z.lazy(() =>
  z
    .object({
      name: nameText().optional(),
      description,
      source: source.optional(),
      format: format.optional(),
      csv_dialect: dialect,
      filters,
      columns,
      schedule,
    })
    .superRefine(checkSource, { when: isOfObject })
    .meta({ id: 'ExportConfigChanges' }),
)

export type ExportConfigChanges = z.infer<typeof ExportConfigChanges>

/** A source, with its possible columns and filters. */
export const ExportSource = namedObject('ExportSource', () => ({
  source,
  fields: z
    .array(z.object({ field: Text, label: Text, type: FieldType }))
    .meta({ description: 'In the order of the default columns, with the default labels.' }),
  filters: z.array(Text),
}))

export type ExportSource = z.infer<typeof ExportSource>

const row = z.record(Text, z.union([z.string(), z.number(), z.boolean(), z.null()]))

/** An export as JSON (X3). */
export const ExportedJson = z.lazy(() =>
  z
    .object({
      meta: z
        .object({
          config_id: shownId('exportConfig').meta({ description: 'The configuration that was executed.' }),
          executed_at: Timestamp,
          row_count: z.int().gte(0).meta({ description: 'How many rows `data` has.' }),
        })
        .meta({ description: 'The last execution and its time.' }),
      data: z.array(row).meta({ description: 'The rows, by the fields of the columns.' }),
    })
    .meta({ id: 'ExportedJson', description: 'An export as JSON.' }),
)

/** The first rows of an export. */
export const ExportPreview = namedObject('ExportPreview', () => ({
  columns: z.array(z.object({ field: Text, label: Text, type: FieldType })),
  data: z.array(row).meta({
    description: 'Up to ten rows, by the fields of the columns.',
  }),
}))

export type ExportPreview = z.infer<typeof ExportPreview>

/** The longest time that a token is valid: a year (X4). */
const maxTokenHours = 8_760

export const ExportTokenInput = namedObject('ExportTokenInput', () => ({
  expires_in_hours: z.int().gte(1).lte(maxTokenHours).meta({ description: 'From 1 to 8760, a year.' }),
}))

export type ExportTokenInput = z.infer<typeof ExportTokenInput>

/** A token that was just made: it is shown only once. */
export const CreatedExportToken = namedObject('CreatedExportToken', () => ({
  id: shownId('exportToken'),
  token: Text.optional().meta({
    description: 'Shown only once: a repeated answer (`Idempotency-Key`) does not contain it.',
  }),
  expires_at: Timestamp,
}))

export type CreatedExportToken = z.infer<typeof CreatedExportToken> & { token: string }

/** A token that gives access to an export, as shown in lists: without the token itself. */
export const ExportToken = namedObject('ExportToken', () => ({
  id: shownId('exportToken'),
  created_by: shownId('user').meta({ description: 'The user who made it.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Timestamp.nullable(),
}))

export type ExportToken = z.infer<typeof ExportToken>

export const RetrieveQuery = lazyObject(() => ({
  run: z.enum(['latest']).optional().meta({
    description:
      '`latest`: the file of the newest successful run of the schedule, instead of a new execution. After a change of source, filters or columns there is no such file until the next run.',
  }),
}))

export type RetrieveQuery = z.infer<typeof RetrieveQuery>
