import type { RowSource } from '#exports/ports.ts'
import type { Db } from '../db.ts'
import { type DocumentSummary, isOver } from '../documents/document-record.ts'
import { joinedNames } from './joined-names.ts'
import { listedEntries } from './listed-entries.ts'

/** Documents in the order of their creation, but announced ones that did not arrive in time. */
export function documentRows(db: Db): RowSource {
  return async function* (query) {
    const { workspace_id, fields, now } = query
    const { case_id, folder_id } = query.filters
    const names = joinedNames(db, workspace_id)
    const list = { name: 'documents', kind: 'document', query } as const
    for await (const entries of listedEntries<DocumentSummary>(db, list, { case_id, folder_id })) {
      const documents = entries
        .map(({ data: { summary } }) => summary)
        .filter((summary) => !isOver(summary, { now: () => now }))
      const [titles, folders] = await Promise.all([
        names.cases(fields.has('file_number') ? documents.map((one) => one.case_id) : []),
        names.folders(fields.has('folder_name') ? documents.map((one) => one.folder_id) : []),
      ])
      yield documents.map(({ parties: _, search_error: __, ...one }) => ({
        ...one,
        file_number: titles.get(one.case_id ?? '')?.file_number ?? null,
        folder_name: folders.get(one.folder_id ?? '')?.name ?? null,
      }))
    }
  }
}
