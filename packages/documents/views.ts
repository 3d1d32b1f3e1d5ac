import { failureOf, required } from '#kernel/failure.ts'
import type { DocumentDeps, DocumentRecord, ListedDocument } from './ports.ts'
import type { Document } from './schema.ts'

/** The most duplicates that a document names. */
const maxDuplicates = 100

/** Documents as callers see them: parties with their current names, and the other documents with the same bytes. */
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
   * Views of documents that were just written. If the store does not answer, they are shown as written: a request that
   * stored a document must not fail because a name or a duplicate cannot be read.
   */
  const viewAllWritten = (workspaceId: string, records: DocumentRecord[]): Promise<Document[]> =>
    viewAll(workspaceId, records).catch(
      unlessAnswered(records.map((record) => ({ ...record, duplicate_of: [] }))),
    )

  const viewWritten = async (record: DocumentRecord): Promise<Document> => {
    const [document] = await viewAllWritten(record.workspace_id, [record])
    return document as Document
  }

  /**
   * Reads the data that is needed to show these documents after they are changed.
   *
   * @param names of parties that the change may add, by id
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
    /** Like `viewWritten`, for a document that was just stored: its record has no duplicates marked yet. */
    viewNew: (record: DocumentRecord): Promise<Document> => viewWritten({ ...record, has_twins: true }),
  }
}

/** Returns the given value if the store does not answer the read. Other errors are thrown. */
export function unlessAnswered<Value>(atHand: Value): (error: unknown) => Value {
  return (error) => {
    if (failureOf(error)?.kind !== 'unavailable') throw error
    return atHand
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
