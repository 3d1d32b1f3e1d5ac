import type { CorrespondenceRecord, DraftRecord } from '#correspondence/ports.ts'
import { Failure } from '#kernel/failure.ts'
import type { Db } from '../db.ts'
import { records } from '../records.ts'
import { type Entry, filedList } from '../sorted-list.ts'
import type { Action } from '../transact.ts'
import { draftEntity } from './draft-entity.ts'

/** An entry holds nothing: a page reads the drafts that it names, so that saving one writes one item. */
type Nothing = Record<string, never>

/** Drafts in the table, and the writes of them that belong into transactions of others. */
export function draftActions(db: Db) {
  const drafts = records<DraftRecord>(db, draftEntity, { missing: 'DRAFT_NOT_FOUND', alike: ['status'] })
  /** The drafts of a user that are not sent, newest first. */
  const list = filedList(db, 'drafts', 'descending', entriesOf)

  const complete = (record: DraftRecord): DraftRecord => ({ ...record, warnings: record.warnings ?? [] })

  const find = async (workspaceId: string, id: string): Promise<DraftRecord | undefined> => {
    const record = await drafts.find(workspaceId, id)
    return record && complete(record)
  }

  const replace = (before: DraftRecord, after: DraftRecord): Action[] => [
    drafts.replace(before, after),
    ...list.changes(before, after),
  ]

  return {
    ...drafts,
    find,
    found: async (workspaceId: string, id: string): Promise<DraftRecord> =>
      complete(await drafts.found(workspaceId, id)),
    findAll: async (workspaceId: string, ids: string[]): Promise<DraftRecord[]> =>
      (await drafts.findAll(workspaceId, ids)).map(complete),
    list,

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

/** The user who changed the draft learnt that it was not sent, so its old content must not go out any more. */
function draftChanged(): Failure {
  return new Failure(
    'conflict',
    'SEND_IN_PROGRESS',
    'The draft was changed or deleted at this moment, so nothing was sent. Repeat the request to send it as it is now.',
    { retryAfterSeconds: 1 },
  )
}

function entriesOf(record: DraftRecord): Entry<Nothing>[] {
  if (record.status === 'sent') return []
  return [{ term: record.user_id, place: record.id, data: {} }]
}
