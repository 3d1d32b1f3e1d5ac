import { requireKnown } from '#kernel/failure.ts'
import { idsOf } from '#kernel/id.ts'
import type { DocumentParties, DocumentRecord } from './ports.ts'
import type { DocumentParty } from './schema.ts'

/** The names of parties, by id. @throws Failure PARTY_NOT_FOUND if one does not exist */
export async function requireParties(
  parties: DocumentParties,
  workspaceId: string,
  ids: string[],
): Promise<Map<string, string>> {
  const names =
    ids.length === 0 ? new Map<string, string>() : await parties.names(workspaceId, [...new Set(ids)])
  requireKnown(ids, names, 'PARTY_NOT_FOUND', 'body.party_ids')
  return names
}

/** Runs work that adds these parties to these documents. No party can be deleted before the work ends. */
export async function withReservedParties<Result>(
  parties: DocumentParties,
  partyIds: string[],
  documents: Pick<DocumentRecord, 'workspace_id' | 'id'>[],
  work: () => Promise<Result>,
): Promise<Result> {
  const [first] = documents
  if (partyIds.length === 0 || first === undefined) return work()
  const release = await parties.reserve(first.workspace_id, partyIds, idsOf(documents))
  return work().finally(release)
}

/** The parties of a new document; the first is the primary one (D4). @param ids without duplicates */
export function newParties(ids: string[], names: ReadonlyMap<string, string>): DocumentParty[] {
  return ids.map((id, at) => ({ id, name: names.get(id) ?? '', is_primary: at === 0 }))
}
