import type { SyncAccountStore } from '#calendar/ports.ts'
import { notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { allPages, type Db } from '../db.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { change, erase, isMade, put, transact } from '../transact.ts'
import { syncAccountEntity } from './sync-account-entity.ts'

/** Connected calendars in the table. */
export function syncAccountStore(db: Db): SyncAccountStore {
  const accounts = syncAccountEntity(db)

  return {
    list: async (workspace_id, user_id) => {
      const { data } = await accounts.query
        .newest({ workspace_id, user_id })
        .go({ order: 'desc', ...allPages })
      return data.map((account) => withNulls(account, syncAccountEntity.nullable))
    },

    add: (change) => transact(db, [put(accounts.create(withoutNulls(change.record)))], change),

    remove: (workspace_id, user_id, id) =>
      transact(db, [
        erase(accounts.remove({ workspace_id, user_id, id }), () => notFound('SYNC_ACCOUNT_NOT_FOUND')),
      ]),

    note: async ({ workspace_id, user_id, id }, { outcome, answer }) => {
      const { status, last_synced_at, last_error } = outcome
      const noted = accounts
        .patch({ workspace_id, user_id, id })
        .set(withoutNulls({ status, last_synced_at, last_error }))
      const action = change(last_error === null ? noted.remove(['last_error']) : noted)
      await isMade(transact(db, [action], { answer }))
      return unchanged(answer)
    },
  }
}
