import { type IdKind, idPrefixes } from '#kernel/id.ts'
import { chunks, readById } from '../batch.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { allPages, type Db } from '../db.ts'
import { partyUse } from './party-entity.ts'

/** Records that are read at once. They may be large. */
const readAtOnce = 25

/** The cases, documents and invoices that name a party, or once did. */
export function partyNamings(db: Db) {
  const uses = partyUse(db)
  const cases = caseEntity(db)

  /** The ids of the records of this kind. */
  const ids = async (workspace_id: string, party_id: string, kind: 'case' | 'document' | 'invoice') => {
    const { data } = await uses.query.users({ workspace_id, party_id }).go(allPages)
    return data.map(({ named_by }) => named_by).filter((id) => kindOf(id) === kind)
  }

  return {
    ids,

    /** The cases that name it now, with all their parties. Deleted ones are among them: their records are still there. */
    async *cases(workspaceId: string, partyId: string) {
      for (const some of chunks(await ids(workspaceId, partyId, 'case'), readAtOnce))
        for (const one of await readById(db, cases, workspaceId, some))
          if (one.parties.some(({ id }) => id === partyId)) yield one
    },
  }
}

/** The ids of cases have no prefix. */
function kindOf(id: string): IdKind {
  return (['document', 'invoice'] as const).find((kind) => id.startsWith(idPrefixes[kind])) ?? 'case'
}
