import type { Job } from '#jobs/job.ts'
import { idPrefixes } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { getsById, readAll } from '../batch.ts'
import { changeTime } from '../change-log.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { partyUse } from '../parties/party-entity.ts'
import { searchableList } from '../search.ts'
import { change, isMade, transact } from '../transact.ts'
import { documentEntity } from './document-entity.ts'

/** For this time documents are touched within the request; the sweeper goes on with the others. */
const touchMilliseconds = 3_000

/** Documents read at once. */
const documentsAtOnce = 25

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
  const { db, outbox } = deps
  const documents = documentEntity(db)
  const uses = partyUse(db)
  const { touch } = documentTouches(deps)

  return {
    /**
     * Notes for `updated_since` that these documents are shown with another name of the party. It goes on after a document
     * for some seconds; the job of `rest` does what is left.
     */
    async touchNaming(
      workspaceId: string,
      partyId: string,
      after: string | null,
      rest: (after: string) => Job,
    ): Promise<void> {
      const endsAt = performance.now() + touchMilliseconds
      for (let last = after ?? idPrefixes.document; ; ) {
        const { data, cursor } = await uses.query
          .users({ workspace_id: workspaceId, party_id: partyId })
          .between({ named_by: last }, { named_by: `${idPrefixes.document}~` })
          .go({ limit: documentsAtOnce, ...strongly })
        const ids = data.map(({ named_by }) => named_by)
        const gets = getsById(ids, (id) => documents.get({ workspace_id: workspaceId, id }))
        const items = await readAll(db, gets, ['id', 'parties'])
        const naming = items.filter(({ parties }) =>
          (parties as { id: string }[]).some(({ id }) => id === partyId),
        )
        await touch(
          workspaceId,
          naming.map(({ id }) => String(id)),
        )
        if (cursor === null) return
        last = ids.at(-1) ?? last
        if (performance.now() < endsAt) continue
        await outbox.enqueue([], [rest(last)])
        return
      }
    },
  }
}
