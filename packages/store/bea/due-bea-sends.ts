import type { DueSends } from '#bea/drafts/draft-ports.ts'
import type { Db } from '../db.ts'
import { dueIndex } from '../due-index.ts'
import { dueBeaSend } from './bea-draft-entity.ts'

/** The beA drafts in the table for which something is to be done. */
export function dueBeaSends(db: Db): DueSends {
  const items = dueBeaSend(db)
  return dueIndex(
    'bea_sends#due',
    (shard, before) => items.query.longestDue({ shard }).lt({ place: before.toISOString() }),
    ({ workspace_id, draft_id }) => ({ workspace_id, draft_id }),
  )
}
