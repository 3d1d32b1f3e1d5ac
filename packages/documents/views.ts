import { failureOf, required } from '#kernel/failure.ts'
import type { DocumentDeps, DocumentRecord, ListedDocument } from './ports.ts'
import type { Document } from './schema.ts'

/** The maximum number of duplicates that a document shows. */
const maxDuplicates = 100

/** Makes the views of documents that callers get: with the current names of parties, and with the duplicates. */
export function documentViews({ store, parties }: Pick<DocumentDeps, 'store' | 'parties'>) {
  const viewAll = async (workspaceId: string, records: ListedDocument[]): Promise<Document[]> => {
    const partyIds = [...new Set(records.flatMap((record) => record.parties.map(({ id }) => id)))]
    const digests = new Set(records.flatMap(({ has_twins, sha256 }) => (has_twins ? (sha256 ?? []) : [])))
    const [names, duplicates] = await Promise.all([
      partyIds.length === 0 ? new Map<string, string>() : parties.names(workspaceId, partyIds),
      Promise.all(
        Array.from(digests, async (sha256) => [sha256, await store.duplicates(workspaceId, sha256)] as const),
      ).then((found) => new Map(found)),
    ])
    return records.map((record) => ({
      ...record,
      parties: record.parties.map((party) => ({ ...party, name: names.get(party.id) ?? party.name })),
      duplicate_of: record.has_twins ? others(record.id, duplicates.get(record.sha256 ?? '')) : [],
    }))
  }

  const view = async (record: DocumentRecord): Promise<Document> => {
    const [document] = await viewAll(record.workspace_id, [record])
    return document as Document
  }

  /**
   * Views of documents that were just written. If the names or the duplicates cannot be read, the documents are shown
   * as written, because a request that has stored a document must not fail.
   */
  const viewAllWritten = (workspaceId: string, records: DocumentRecord[]): Promise<Document[]> =>
    viewAll(workspaceId, records).catch(
      ifUnavailable(records.map((record) => ({ ...record, duplicate_of: [] }))),
    )

  const viewWritten = async (record: DocumentRecord): Promise<Document> => {
    const [document] = await viewAllWritten(record.workspace_id, [record])
    return document as Document
  }

  /**
   * Reads in advance what the views of these documents need after a change.
   *
   * @param names the names of the parties that the change may add, by id
   */
  const viewing = async (
    records: DocumentRecord[],
    names: Readonly<Record<string, string>>,
  ): Promise<(record: DocumentRecord) => Document> => {
    const [first] = records
    const seen = first === undefined ? [] : await viewAll(first.workspace_id, records)
    const duplicates = new Map(seen.map(({ id, duplicate_of }) => [id, duplicate_of]))
    const known = new Map([
      ...seen.flatMap(({ parties: named }) => named.map(({ id, name }) => [id, name] as const)),
      ...Object.entries(names),
    ])
    return (record) => ({
      ...record,
      parties: record.parties.map((party) => ({ ...party, name: known.get(party.id) ?? party.name })),
      duplicate_of: duplicates.get(record.id) ?? [],
    })
  }

  return {
    viewAll,
    view,
    viewing,
    viewAllWritten,
    viewWritten,
    /** Like `viewWritten`, for a new document, whose duplicates are not marked yet. */
    viewNew: (record: DocumentRecord): Promise<Document> => viewWritten({ ...record, has_twins: true }),
  }
}

/** An error handler that returns the fallback if the store does not answer. It throws other errors again. */
function ifUnavailable<Value>(fallback: Value): (error: unknown) => Value {
  return (error) => {
    if (failureOf(error)?.kind !== 'unavailable') throw error
    return fallback
  }
}

function others(id: string, ids: string[] = []): string[] {
  return ids.filter((duplicate) => duplicate !== id).slice(0, maxDuplicates)
}

/** The document. @throws Failure DOCUMENT_NOT_FOUND */
export async function requireDocument(
  store: Pick<DocumentDeps['store'], 'find'>,
  workspaceId: string,
  id: string,
): Promise<DocumentRecord> {
  return required(await store.find(workspaceId, id), 'DOCUMENT_NOT_FOUND')
}
