import * as z from 'zod'
import type { DocumentDigest, DocumentRecord, DocumentStore } from '#documents/ports.ts'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { unlessGone } from '#kernel/failure.ts'
import { idsOf } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { Consequences } from '../changes.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, change, demand, erase, isMade, maxActions, transact } from '../transact.ts'
import type { documentChanges } from './document-changes.ts'
import { documentEntity, documentTwin } from './document-entity.ts'
import { documentTouches } from './document-touches.ts'
import { watchActions } from './document-watches.ts'

/** One more than the interface shows of a document. */
const maxTwins = 101

/** Three actions for each document. */
const documentsPerTransaction = Math.floor(maxActions / 3)

/** A document was deleted: those with the same bytes are shown with one duplicate less. Older releases do not name it. */
const twinDeleted = defineFollowUp({
  name: 'document.twin_deleted',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), sha256: z.string(), id: z.string().optional() })),
})

/** The handler of the job that follows the deletion of a document. */
export function twinDeletedFollowUp(deps: { db: Db; cursors: Cursors }): JobHandler {
  const { touch } = documentTouches(deps)
  const { list } = twinActions(deps.db)
  return twinDeleted.handledBy(async ({ workspace_id, sha256, id = '' }) => {
    const oldest = await list(workspace_id, sha256)
    if (isNamed(oldest, id)) await touch(workspace_id, oldest)
  })
}

/** Whether others name a document as their duplicate. @param oldest the oldest documents with the same bytes (`list`) */
function isNamed(oldest: readonly string[], id: string): boolean {
  return oldest.length < maxTwins || id <= (oldest.at(-1) ?? '')
}

/** Which documents have the same bytes, and what their transactions do about it. */
export function twinActions(db: Db) {
  const twins = documentTwin(db)
  return {
    /** The oldest documents with the same bytes. */
    list: async (workspace_id: string, sha256: string): Promise<string[]> => {
      const { data } = await twins.query.oldest({ workspace_id, sha256 }).go({ limit: maxTwins, ...strongly })
      return data.map(({ id }) => id)
    },

    /** Removes a document that is deleted from its digest. */
    removal: ({ workspace_id, sha256, id }: DocumentRecord): Required<Consequences> =>
      sha256 === null
        ? { actions: [], jobs: [] }
        : {
            actions: [erase(twins.delete({ workspace_id, sha256, id }))],
            jobs: [twinDeleted.of({ workspace_id, sha256, id })],
          },
  }
}

/** Finds documents that have the same bytes. Each document is indexed by the digest of its bytes. */
export function documentTwins(
  { db, cursors, clock }: { db: Db; cursors: Cursors; clock: Clock },
  documents: Pick<DocumentStore, 'find'> & Pick<ReturnType<typeof documentChanges>, 'change'>,
) {
  const twins = documentTwin(db)
  const entity = documentEntity(db)
  const watches = watchActions(db)
  const { touch } = documentTouches({ db, cursors })
  const { list } = twinActions(db)

  /** The actions that index a document by its digest. If it is pending, the sweeper watches it until it is read. */
  const indexing = (workspace_id: string, { id, sha256 }: DocumentDigest, isPending: boolean): Action[] => {
    const document = entity.remove({ workspace_id, id })
    const condition = isPending
      ? document.where(
          ({ status, deleted_at }, { eq, notExists }) =>
            `${eq(status, 'pending')} AND ${notExists(deleted_at)}`,
        )
      : document.where(({ deleted_at }, { notExists }) => notExists(deleted_at))
    return [
      demand(condition),
      rewrite(twins, twins.put({ workspace_id, sha256, id, is_marked: false }), {}),
      ...(isPending ? [watches.waitsToBeRead({ workspace_id, id }, timestamp(clock))] : []),
    ]
  }

  /** Indexes a document that was read or deleted since it was accepted. */
  const indexLate = async (workspaceId: string, document: DocumentDigest): Promise<void> => {
    const current = await documents.find(workspaceId, document.id)
    if (current === undefined) return
    const isIndexed = await isMade(
      transact(db, indexing(workspaceId, document, current.status === 'pending')),
    )
    if (!isIndexed) await indexLate(workspaceId, document)
  }

  return {
    index: async (workspaceId: string, digests: DocumentDigest[]): Promise<void> => {
      for (let start = 0; start < digests.length; start += documentsPerTransaction) {
        const some = digests.slice(start, start + documentsPerTransaction)
        const actions = some.flatMap((document) => indexing(workspaceId, document, true))
        if (await isMade(transact(db, actions))) continue
        for (const document of some) await indexLate(workspaceId, document)
      }
    },

    mark: async (workspaceId: string, sha256: string): Promise<void> => {
      const { data } = await twins.query
        .oldest({ workspace_id: workspaceId, sha256 })
        .go({ order: 'desc', limit: maxTwins, ...strongly })
      const marked = data.filter((twin) => twin.is_marked)
      const unmarked = data.filter((twin) => !twin.is_marked)
      if (data.length < 2 || unmarked.length === 0) return
      const oldest = data.length < maxTwins ? [] : await list(workspaceId, sha256)
      if (unmarked.some(({ id }) => isNamed(oldest, id))) await touch(workspaceId, idsOf(marked))
      await inParallel(unmarked, async ({ id }) => {
        const noted = change(twins.patch({ workspace_id: workspaceId, sha256, id }).set({ is_marked: true }))
        const isMarked = await documents
          .change(workspaceId, id, (current) =>
            current.has_twins
              ? // Another request has marked it already.
                { answer: false }
              : {
                  record: { ...current, has_twins: true, version: current.version + 1 },
                  also: [noted],
                  answer: true,
                },
          )
          .catch(unlessGone('DOCUMENT_NOT_FOUND'))
        if (!isMarked) await isMade(transact(db, [noted]))
      })
    },
  }
}
