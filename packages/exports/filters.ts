import * as z from 'zod'
import { Failure } from '#kernel/failure.ts'
import { readId } from '#kernel/id.ts'
import { labelText } from '#kernel/text.ts'
import type { SourceFilters } from './ports.ts'
import { type FilterForm, sources } from './sources.ts'
import type { ExportSourceName } from './table-schema.ts'

/** The first fault in filters: the name of the filter, and a message. */
export type FilterFault = { filter: string | undefined; message: string }

/**
 * Reads the filters of a source (X1). A missing or null filter has no effect. Ids become canonical; an unknown id
 * matches no rows.
 *
 * @returns the filters, or the first fault: a filter that the source does not have, a value of the wrong form, or a
 *   range that ends before it begins
 */
export function readFilters(
  source: ExportSourceName,
  given: unknown,
): { filters: SourceFilters; fault?: undefined } | { fault: FilterFault } {
  if (given === undefined || given === null) return { filters: {} }
  if (typeof given !== 'object' || Array.isArray(given))
    return { fault: { filter: undefined, message: 'Send `filters` as an object.' } }

  const forms = new Map(Object.entries(sources[source].filters))
  const filters: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const form = forms.get(name)
    if (form === undefined) return { fault: unknownFilter(source, name) }
    if (value === null || value === undefined) continue
    const read = readValue(form, value)
    if (read === undefined)
      return { fault: { filter: name, message: `\`${name}\` must be ${wanted(form)}.` } }
    filters[name] = read
  }
  const { date_from, date_to } = filters as SourceFilters
  if (date_from !== undefined && date_to !== undefined && date_from > date_to)
    return { fault: { filter: 'date_from', message: '`date_from` must not be after `date_to`.' } }
  return { filters }
}

/**
 * The filters of a source, which must be valid.
 *
 * @throws Failure INVALID_FILTER
 */
export function filtersOf(source: ExportSourceName, given: unknown): SourceFilters {
  const read = readFilters(source, given)
  if (read.fault === undefined) return read.filters
  const { filter, message } = read.fault
  const path = filter === undefined ? 'body.filters' : `body.filters.${filter}`
  throw new Failure('invalid', 'INVALID_FILTER', message, { details: [{ path, message }] })
}

/** The days that records can have. A filter that all of these days pass has no effect. */
const firstDay = '1900-01-01'
const lastDay = '9998-12-31'

/**
 * The filters for the query, without bounds that all known days pass, such as `9999-12-31`. Times on such distant days
 * do not sort as text.
 */
export function withinKnownDays({ date_from, date_to, ...others }: SourceFilters): SourceFilters {
  return {
    ...others,
    ...(date_from !== undefined && date_from > firstDay && { date_from }),
    ...(date_to !== undefined &&
      date_to <= lastDay && { date_to: date_to < firstDay ? '1899-12-31' : date_to }),
  }
}

const isoDate = z.iso.date()

function readValue(filter: FilterForm, value: unknown): string | boolean | undefined {
  if (filter.form === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (filter.form === 'day') return isoDate.safeParse(text).success && text > '0001' ? text : undefined
  if (filter.form === 'value') return filter.values.includes(text) ? text : undefined
  if (filter.form === 'id') return readId(filter.kind, text)
  return labelText().safeParse(text).data
}

function wanted(filter: FilterForm): string {
  if (filter.form === 'day') return 'a valid day as YYYY-MM-DD'
  if (filter.form === 'value') return `one of ${filter.values.join(', ')}`
  if (filter.form === 'id') return `the id of a ${filter.kind}`
  return filter.form === 'boolean' ? 'true or false' : 'a text of 1 to 100 characters'
}

function unknownFilter(source: ExportSourceName, name: string): FilterFault {
  const known = Object.keys(sources[source].filters).join(', ')
  const shown = name.replace(/[^\w.-]/g, '_').slice(0, 50)
  return { filter: shown, message: `${source} has no filter \`${shown}\`. Its filters are ${known}.` }
}
