import type { Job } from '#jobs/job.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { fieldsById } from '../batch.ts'
import { changeTime } from '../change-log.ts'
import type { Cursors } from '../cursor.ts'
import type { Db } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { changeNaming } from '../parties/party-namings.ts'
import { searchableList } from '../search.ts'
import { change, isMade, transact } from '../transact.ts'
import { documentEntity } from './document-entity.ts'

/** Notes for `updated_since` that documents are shown differently, though their records have not changed (G16). */
export function documentTouches({ db, cursors }: { db: Db; cursors: Cursors }) {
  const documents = documentEntity(db)
  const list = searchableList(db, cursors, 'documents')

  return {
    /** Notes it on these documents, except on deleted ones. */
    touch: (workspace_id: string, ids: string[]): Promise<void> =>
      inParallel(ids, async (id) => {
        const changed_at = changeTime(undefined)
        const noted = documents
          .patch({ workspace_id, id })
          .set({ changed_at })
          .where(({ deleted_at }, { notExists }) => notExists(deleted_at))
        await isMade(transact(db, [change(noted), ...list.touch(workspace_id, id, changed_at)]))
      }),
  }
}

/** Documents that name a party. */
export function namingDocuments(deps: { db: Db; cursors: Cursors; outbox: Pick<Outbox, 'enqueue'> }) {
  const { db } = deps
  const documents = documentEntity(db)
  const changeNamed = changeNaming(deps)
  const { touch } = documentTouches(deps)

  return {
    /**
     * Notes for `updated_since` that these documents are shown with another name of the party. It goes on after a document
     * for some seconds; the job of `rest` does what is left.
     */
    async touchNaming(
      workspace_id: string,
      party_id: string,
      after: string | null,
      rest: (after: string) => Job,
    ): Promise<void> {
      const touchAll = async (ids: string[]) => {
        const named = await fieldsById(db, documents, workspace_id, ids, ['parties'])
        const naming = ids.filter((id) => named.get(id)?.parties.some((party) => party.id === party_id))
        await touch(workspace_id, naming)
      }
      await changeNamed({ workspace_id, party_id, kind: 'document', after }, touchAll, rest)
    },
  }
}
