import { failureOf, required } from '#kernel/failure.ts'
import type { DocumentDeps, DocumentRecord, ListedDocument } from './ports.ts'
import type { Document } from './schema.ts'

/** The maximum number of duplicates that a document shows. */
const maxDuplicates = 100

/** Makes the views of documents for callers, with the current names of parties and the duplicates. */
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
   * The view of a document that was just written. If the store does not answer, the document is shown as written,
   * because a request that has changed a document must not fail.
   */
  const viewWritten = (record: DocumentRecord): Promise<Document> =>
    view(record).catch((error: unknown) => {
      if (failureOf(error)?.kind !== 'unavailable') throw error
      return { ...record, duplicate_of: [] }
    })

  /**
   * Reads in advance what the views of these documents need after a change.
   *
   * @param names the names of the parties that the change may add, by id
   */
  const prepareView = async (
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
    prepareView,
    viewWritten,
    /** Like `viewWritten`, for a new document, whose duplicates are not marked yet. */
    viewNew: (record: DocumentRecord): Promise<Document> => viewWritten({ ...record, has_twins: true }),
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
