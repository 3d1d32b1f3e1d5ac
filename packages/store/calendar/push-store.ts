import type { PushStore, Withdrawal, Withdrawals } from '#calendar/ports.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { allPages, type Db } from '../db.ts'
import { dueShard, timedIndex } from '../due-index.ts'
import type { Outbox } from '../outbox.ts'
import { rewrite, unknownOf, withUnknown } from '../rewrite.ts'
import { erase, isMade, put, transact } from '../transact.ts'
import { dueWithdrawal } from './due-withdrawal-entity.ts'
import { pushedEvent } from './pushed-event-entity.ts'

/** The records of pushes in the table. */
export function pushStore({ db, outbox }: { db: Db; outbox: Outbox }): PushStore {
  const pushes = pushedEvent(db)

  return {
    begin: (push, jobs) => bookkeeping(() => outbox.enqueue([rewrite(pushes, pushes.put(push), {})], jobs)),
    ...storedPushes(db),
  }
}

/** The pushes that were made, and their withdrawal. */
export function storedPushes(db: Db): Pick<PushStore, 'ofEvent' | 'withdraw'> {
  const pushes = pushedEvent(db)
  const due = dueWithdrawal(db)

  return {
    ofEvent: async (workspace_id, event_id) => {
      const { data } = await pushes.query.ofEvent({ workspace_id, event_id }).go(allPages)
      return data
    },

    withdraw: (push, at) =>
      transact(db, [
        erase(pushes.delete(push)),
        put(due.put(itemOf({ ...push, requested_at: at, due_at: at, attempts: 0 }))),
      ]),
  }
}

/** The withdrawals in the table that are due. */
export function dueWithdrawals(db: Db): Withdrawals {
  const items = dueWithdrawal(db)

  return {
    ...timedIndex('withdrawals#due', items, (item) => ({
      ...withdrawalOf(item),
      unknown: unknownOf(items, item),
    })),

    postpone: async (withdrawal, due_at) => {
      const later = { ...withdrawal, due_at, attempts: withdrawal.attempts + 1 }
      const moved = withUnknown(items.put(itemOf(later)), withdrawal.unknown ?? {})
      // Does nothing if another worker has finished or postponed it.
      await isMade(transact(db, [erase(items.remove(keyOf(withdrawal))), put(moved)]))
    },

    finish: async (withdrawal) => {
      await transact(db, [erase(items.delete(keyOf(withdrawal)))])
    },
  }
}

function keyOf({ due_at, event_id, account_id }: Withdrawal) {
  return { shard: dueShard(event_id), place: `${due_at}#${event_id}#${account_id}` }
}

function itemOf(withdrawal: Withdrawal) {
  return { ...keyOf(withdrawal), ...withdrawalOf(withdrawal) }
}

function withdrawalOf(stored: Omit<Withdrawal, 'unknown'>) {
  const { workspace_id, event_id, user_id, account_id, requested_at, due_at, attempts } = stored
  return { workspace_id, event_id, user_id, account_id, requested_at, due_at, attempts }
}
