import type { DueSends } from '#bea/draft-ports.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { dueBeaSend } from './bea-draft-entity.ts'

/** So many items are read at a time. */
const pageSize = 50

/** The beA drafts in the table for which something is to be done. */
export function dueBeaSends(db: Db): DueSends {
  const items = lazily(() => dueBeaSend(db))
  return {
    shards: [...'0123456789abcdef'],

    due: async function* (shard, now) {
      const end = new Date(now.getTime() + 1).toISOString()
      const query = items.query.longestDue({ shard }).lt({ place: end })
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await query.go({ limit: pageSize, ...(cursor && { cursor }), ...strongly })
        for (const { workspace_id, draft_id } of page.data) yield { workspace_id, draft_id }
        cursor = page.cursor
      }
    },
  }
}
