import type { RowSource } from '#exports/ports.ts'
import type { Row } from '#exports/table-schema.ts'
import { timeOf } from '#kernel/id.ts'
import { fieldsById } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import type { Db } from '../db.ts'
import { filterTerm } from '../search.ts'
import type { Placed } from '../sorted-list.ts'
import { type ListedEntry, listedEntries } from './listed-entries.ts'

type Summary = { id: string; name: string; file_number: string; status: string }

/** The fields that list entries do not hold. */
const onRecords = ['description', 'updated_at'] as const

const recordFields = [
  'id',
  'file_number',
  'name',
  'status',
  'type',
  'dezernat',
  'created_at',
  'deleted_at',
  ...onRecords,
] as const

/** Cases in the order of their creation. Their records are read only if a field is wanted that entries do not hold. */
export function caseRows(db: Db): RowSource {
  const cases = caseEntity(db)

  /** The rows of cases as they are now; cases that were deleted or no longer fit are left out. */
  const fromRecords = async (workspace_id: string, ids: string[], wanted: CaseFilters): Promise<Row[]> => {
    const byId = await fieldsById(db, cases, workspace_id, ids, recordFields)
    return ids.flatMap((id) => {
      const { deleted_at, ...item } = byId.get(id) ?? { deleted_at: '' }
      const row = { type: null, dezernat: null, description: null, ...item } as Row
      const fits = Object.entries(wanted).every(([name, value]) => value === undefined || row[name] === value)
      return deleted_at === undefined && fits ? [row] : []
    })
  }

  return async function* (query) {
    const { status, type, dezernat } = query.filters
    const filters = { status, type, dezernat }
    const readsRecords = onRecords.some((field) => query.fields.has(field))
    const list = { name: 'cases', kind: 'case', query } as const
    for await (const entries of listedEntries<Summary>(db, list, filters)) {
      const ids = entries.map(({ place }) => place)
      yield readsRecords
        ? await fromRecords(query.workspace_id, ids, filters)
        : entries.map((entry) => fromEntry(entry))
    }
  }
}

type CaseFilters = Record<'status' | 'type' | 'dezernat', string | undefined>

/** A case is created at the time of its id. */
function fromEntry({ data: { summary, filters } }: Placed<ListedEntry<Summary>>): Row {
  const { id, file_number, name, status } = summary
  const created_at = timeOf(id).toISOString()
  const [type, dezernat] = ['type', 'dezernat'].map((filter) => filterValueIn(filters, filter))
  return { file_number, name, status, type: type ?? null, dezernat: dezernat ?? null, id, created_at }
}

/** The value of a filter from the terms under which an entry is filed. */
function filterValueIn(terms: string[], filter: string): string | null {
  const start = filterTerm(filter, '')
  return terms.find((term) => term.startsWith(start))?.slice(start.length) ?? null
}
