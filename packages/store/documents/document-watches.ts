import type { DocumentRecord, DocumentWatches } from '#documents/ports.ts'
import { idPrefixes, uuidv7At } from '#kernel/id.ts'
import type { Db } from '../db.ts'
import { dueIndex, dueShard } from '../due-index.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, change, erase, isMade, transact } from '../transact.ts'
import { documentWatch } from './document-entity.ts'

type Awaited = 'reading' | 'bytes' | 'record'

/** The actions for watches that belong to the transactions of documents. */
export function watchActions(db: Db) {
  const watches = documentWatch(db)
  return {
    /** The document now waits to be read. @param sentAt when the message to read it was sent */
    waitsToBeRead: ({ workspace_id, id }: Watched, sentAt: string): Action =>
      rewrite(watches, watches.put({ ...keyOf('reading', id), workspace_id, sent_at: sentAt }), {}),

    /**
     * The watches that follow a change: a new document may begin to wait for its bytes, and a waiting one may stop.
     * `before` is undefined for a new document, `after` for a deleted one.
     */
    changes: (before: DocumentRecord | undefined, after: DocumentRecord | undefined): Action[] => {
      if (before === undefined) {
        if (after === undefined || after.upload_expires_at === null) return []
        const { workspace_id, id } = after
        return [rewrite(watches, watches.put({ ...keyOf('bytes', id), workspace_id }), {})]
      }
      const hadBytesToCome = before.upload_expires_at !== null
      const hadToBeRead = before.status === 'pending'
      return [
        ...(hadBytesToCome && after?.upload_expires_at == null
          ? [erase(watches.delete(keyOf('bytes', before.id)))]
          : []),
        ...(hadToBeRead && after?.status !== 'pending'
          ? [erase(watches.delete(keyOf('reading', before.id)))]
          : []),
      ]
    },
  }
}

/** The watches of documents in the table. */
export function documentWatches(db: Db): DocumentWatches {
  const watches = documentWatch(db)
  return {
    unread: dueIndex(
      'documents#reading',
      (shard) => watches.query.oldest({ awaited: 'reading', shard }),
      ({ workspace_id, id, sent_at = '', sent_again_at = sent_at }) => ({
        workspace_id,
        id,
        waits_since: sent_at,
        sent_at: sent_again_at,
      }),
    ),

    announced: dueIndex(
      'documents#bytes',
      (shard, before) => watches.query.oldest({ awaited: 'bytes', shard }).lt({ id: firstIdOf(before) }),
      ({ workspace_id, id }) => ({ workspace_id, id }),
    ),

    stored: dueIndex(
      'documents#record',
      (shard, before) => watches.query.oldest({ awaited: 'record', shard }).lt({ id: firstIdOf(before) }),
      ({ workspace_id, id, sha256 = '' }) => ({ workspace_id, id, sha256 }),
    ),

    sent: async (id, at) => {
      const noted = watches.patch(keyOf('reading', id)).set({ sent_again_at: at.toISOString() })
      await isMade(transact(db, [change(noted)]))
    },

    forget: async (awaited, id) => {
      await watches.delete(keyOf(awaited, id)).go()
    },
  }
}

type Watched = Pick<DocumentRecord, 'workspace_id' | 'id'>

function keyOf(awaited: Awaited, id: string) {
  return { awaited, shard: dueShard(id), id }
}

/** Documents that were made before that moment have smaller ids. */
function firstIdOf(at: Date): string {
  return idPrefixes.document + uuidv7At(at.getTime())
}
