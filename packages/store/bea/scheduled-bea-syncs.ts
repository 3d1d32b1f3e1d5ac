import type { ScheduledSyncs } from '#bea/sync/schedule-ports.ts'
import type { Db } from '../db.ts'
import { dueIndex, dueShard } from '../due-index.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, change, erase, isMade, transact } from '../transact.ts'
import { scheduledBeaSync } from './scheduled-bea-sync-entity.ts'

/**
 * The accounts that the schedule synchronises, in the table. Each account that can log in without its owner has an
 * item. These are few in comparison, so a sweep reads them all.
 */
export function scheduledBeaSyncs(db: Db): ScheduledSyncs {
  const items = scheduledBeaSync(db)
  return {
    ...dueIndex(
      'bea_syncs',
      (shard, before) =>
        items.query.oldest({ shard }).where(({ due_at }, { lt }) => lt(due_at, before.toISOString())),
      ({ account_id, workspace_id, due_at }) => ({ account_id, workspace_id, due_at }),
    ),

    advance: ({ account_id, due_at: before }, due_at) =>
      isMade(
        transact(db, [
          change(
            items
              .patch(keyOf(account_id))
              .set({ due_at })
              .where((attributes, { eq }) => eq(attributes.due_at, before)),
          ),
        ]),
      ),

    forget: async ({ account_id, due_at: before }) => {
      const forgotten = items
        .remove(keyOf(account_id))
        .where((attributes, { eq }) => eq(attributes.due_at, before))
      // Connected again meanwhile, it is scheduled anew.
      await isMade(transact(db, [erase(forgotten)]))
    },
  }
}

/** Schedules an account from then on, for the transaction that connects it. */
export function schedulingOf(
  db: Db,
  { workspace_id, id: account_id }: { workspace_id: string; id: string },
  due_at: string,
): Action {
  const items = scheduledBeaSync(db)
  return rewrite(items, items.put({ ...keyOf(account_id), workspace_id, due_at }), {})
}

function keyOf(account_id: string) {
  return { shard: dueShard(account_id), account_id }
}
