import type { CorrespondenceRecord, DraftRecord } from '#correspondence/ports.ts'
import { conflict, type Failure } from '#kernel/failure.ts'
import { readById } from '../batch.ts'
import type { Db } from '../db.ts'
import { withoutNulls } from '../nulls.ts'
import { records } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Entry, filedList, type NoData } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { draftEntity } from './draft-entity.ts'

/** A draft that was deleted. Its record stays (G13). */
export type DeletedDraft = DraftRecord & { deleted_at: string }

/** The term of the deleted drafts of a workspace. */
export const deletedDrafts = 'deleted'

/** Drafts in the table, and the writes of them that belong into transactions of others. */
export function draftActions(db: Db) {
  const drafts = records<DraftRecord>(db, draftEntity, {
    missing: 'DRAFT_NOT_FOUND',
    alike: ['status'],
    form: { read: (draft) => ({ ...draft, warnings: draft.warnings ?? [] }), held: (draft) => draft },
  })
  const items = draftEntity(db)
  /** The drafts of a user that are not sent, and all that were deleted, newest first. */
  const list = filedList(db, 'drafts', 'descending', entriesOf)

  const replace = (before: DraftRecord, after: DraftRecord): Action[] => [
    drafts.replace(before, after),
    ...list.changes(before, after),
  ]

  return {
    ...drafts,
    list,

    /** The deleted drafts among these ids, in no particular order. */
    findDeleted: async (workspaceId: string, ids: string[]): Promise<DeletedDraft[]> =>
      (await readById(db, items, workspaceId, ids)).flatMap(({ deleted_at, ...item }) =>
        deleted_at === undefined ? [] : { ...drafts.recordOf(item), deleted_at },
      ),

    /** Replaces a deleted draft if it has not changed since it was read. */
    replaceDeleted: (before: DeletedDraft, after: DeletedDraft): Action =>
      rewrite(
        items,
        items.put(withoutNulls(after)).where(({ version }, { eq }) => eq(version, before.version)),
        before,
      ),

    /** The actions that move a draft from the list of its user to the list of deleted drafts. */
    listDeleted: (draft: DraftRecord): Action[] => list.changes(draft, { ...draft, deleted_at: '' }),

    /** The actions that make this mail the last send of the draft as it was read. */
    send: (draft: DraftRecord, { id, sending_since }: CorrespondenceRecord): Action[] =>
      replace(draft, {
        ...draft,
        status: 'sending',
        correspondence_id: id,
        sending_since,
        version: draft.version + 1,
      }),

    /**
     * The actions that give the draft the status of its last send; none if its last send is another one or missing.
     *
     * @throws Failure SEND_IN_PROGRESS if a refused mail is to be sent again, but its draft was changed or deleted
     */
    async follow(before: CorrespondenceRecord, after: CorrespondenceRecord): Promise<Action[]> {
      const { workspace_id, id, draft_id, status, sending_since } = after
      if (draft_id === null || status === 'received' || status === 'processed') return []
      const draft = await drafts.find(workspace_id, draft_id)
      if (draft?.correspondence_id !== id) {
        // A lost mail stays `sending`, whatever happened to its draft.
        if (status === 'sending' && before.status !== 'sending') throw draftChanged()
        return []
      }
      if (draft.status === status && draft.sending_since === sending_since) return []
      return replace(draft, { ...draft, status, sending_since, version: draft.version + 1 })
    },
  }
}

/** The user who changed the draft knows that it was not sent, so its old content must no longer be sent. */
function draftChanged(): Failure {
  return conflict(
    'SEND_IN_PROGRESS',
    'The draft was changed or deleted at this moment, so nothing was sent. Repeat the request to send it as it is now.',
    { retryAfterSeconds: 1 },
  )
}

function entriesOf(draft: DraftRecord & Partial<DeletedDraft>): Entry<NoData>[] {
  const { id, user_id, status, deleted_at } = draft
  if (deleted_at !== undefined) return [{ term: deletedDrafts, place: id, data: {} }]
  return status === 'sent' ? [] : [{ term: user_id, place: id, data: {} }]
}
