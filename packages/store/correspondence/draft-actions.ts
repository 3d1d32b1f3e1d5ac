import type { CorrespondenceRecord, DraftRecord } from '#correspondence/ports.ts'
import { Failure } from '#kernel/failure.ts'
import { getsById, readAll } from '../batch.ts'
import type { Db } from '../db.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { rewrite } from '../rewrite.ts'
import { type Entry, sortedList } from '../sorted-list.ts'
import { type Action, change, put } from '../transact.ts'
import { draftEntity } from './draft-entity.ts'

/** An entry holds nothing: a page reads the drafts that it names, so that saving one writes one item. */
type Nothing = Record<string, never>

/** Drafts in the table, and the writes of them that belong into transactions of others. */
export function draftActions(db: Db) {
  const drafts = draftEntity(db)
  /** The drafts of a user that are not sent, newest first. */
  const list = sortedList<Nothing>(db, 'drafts', 'descending')

  const findAll = async (workspaceId: string, ids: string[]): Promise<DraftRecord[]> => {
    const gets = getsById(ids, (id) => drafts.get({ workspace_id: workspaceId, id }))
    return (await readAll(db, gets)).flatMap((item) => {
      const { data } = drafts.parse({ Item: item })
      if (data === null || data.deleted_at !== undefined) return []
      const { deleted_at: _, ...record } = data
      return [{ ...withNulls(record, draftEntity.nullable), warnings: record.warnings ?? [] }]
    })
  }

  const find = async (workspaceId: string, id: string): Promise<DraftRecord | undefined> =>
    (await findAll(workspaceId, [id]))[0]

  const listChanges = (before: DraftRecord | undefined, after: DraftRecord | undefined): Action[] =>
    list.changes((before ?? after)?.workspace_id ?? '', entriesOf(before), entriesOf(after))

  const replace = (before: DraftRecord, after: DraftRecord): Action[] => [
    rewrite(
      drafts,
      drafts
        .put(withoutNulls(after))
        .where(
          ({ version, status, deleted_at }, { eq, notExists }) =>
            `${eq(version, before.version)} AND ${eq(status, before.status)} AND ${notExists(deleted_at)}`,
        ),
      before,
    ),
    ...listChanges(before, after),
  ]

  return {
    find,
    findAll,
    list,

    add: (record: DraftRecord): Action[] => [
      put(drafts.create(withoutNulls(record))),
      ...listChanges(undefined, record),
    ],

    /** Replaces the draft, unless it was changed or deleted since it was read. */
    replace,

    /** Deletes the draft, unless it was changed or deleted since it was read. */
    remove: (before: DraftRecord, deletedAt: string): Action[] => [
      change(
        drafts
          .patch({ workspace_id: before.workspace_id, id: before.id })
          .set({ deleted_at: deletedAt })
          .where(
            ({ version, deleted_at }, { eq, notExists }) =>
              `${eq(version, before.version)} AND ${notExists(deleted_at)}`,
          ),
      ),
      ...listChanges(before, undefined),
    ],

    /** What makes this mail the last send of the draft as it was read. */
    send: (draft: DraftRecord, { id, sending_since }: CorrespondenceRecord): Action[] =>
      replace(draft, {
        ...draft,
        status: 'sending',
        correspondence_id: id,
        sending_since,
        version: draft.version + 1,
      }),

    /**
     * What gives the draft the status of its last send; nothing where its last send is another one or none.
     *
     * @throws Failure SEND_IN_PROGRESS where a refused mail is to be sent again, but its draft was changed or deleted
     */
    async follow(mail: CorrespondenceRecord): Promise<Action[]> {
      const { workspace_id, id, draft_id, status, sending_since } = mail
      if (draft_id === null || status === 'received' || status === 'processed') return []
      const draft = await find(workspace_id, draft_id)
      if (draft?.correspondence_id !== id) {
        if (status === 'sending') throw draftChanged()
        return []
      }
      if (draft.status === status && draft.sending_since === sending_since) return []
      return replace(draft, { ...draft, status, sending_since, version: draft.version + 1 })
    },
  }
}

/** Whoever changed the draft was told that it was not sent, so what it held before must not go out any more. */
function draftChanged(): Failure {
  return new Failure(
    'conflict',
    'SEND_IN_PROGRESS',
    'The draft was changed or deleted at this moment, so nothing was sent. Repeat the request to send it as it is now.',
    { retryAfterSeconds: 1 },
  )
}

function entriesOf(record: DraftRecord | undefined): Entry<Nothing>[] {
  if (record === undefined || record.status === 'sent') return []
  return [{ term: record.user_id, place: record.id, data: {} }]
}
