import { bookkeeping } from '#kernel/changes.ts'
import { notFound } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { Scope } from '#kernel/scope.ts'
import type { KeyRecord, KeyStore, UserRecord } from '#workspace/ports.ts'
import { readAll } from '../batch.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { newestFirst } from '../newest-first.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { records } from '../records.ts'
import { change, erase, isMade, put, retryStale, transact } from '../transact.ts'
import { apiKeyEntity, apiKeyListing } from './api-key-entity.ts'
import { userEntity } from './user-entity.ts'

/** API keys in the table. */
export function keyStore(db: Db, cursors: Cursors): KeyStore {
  const keys = apiKeyEntity(db)
  const listings = apiKeyListing(db)
  const users = records<UserRecord>(db, userEntity, { missing: 'USER_NOT_FOUND' })

  return {
    findAnywhere: async (id) => {
      const { data } = await keys.get({ id }).go(strongly)
      return data === null || data.revoked_at !== undefined ? undefined : keyOf(data)
    },

    page: async (workspaceId, request) => {
      const query = listings.query.newest({ workspace_id: workspaceId })
      const { data: listed, pagination } = await newestFirst(
        cursors,
        [workspaceId, 'api_keys'],
        request,
        query,
      )
      const items = await readAll(
        db,
        listed.map(({ id }) => keys.get({ id })),
      )
      const records = items.flatMap((item) => {
        const { data } = keys.parse({ Item: item })
        return data && data.revoked_at === undefined ? [keyOf(data)] : []
      })
      return { data: records.toSorted((one, other) => (one.id < other.id ? 1 : -1)), pagination }
    },

    add: (workspaceId, userId, make) =>
      retryStale(async () => {
        const user = await users.found(workspaceId, userId)
        const made = make(user)
        const { record } = made
        const actions = [
          users.unchanged(user),
          put(keys.create(withoutNulls(record))),
          put(listings.create({ workspace_id: workspaceId, id: record.id, user_id: userId })),
        ]
        return transact(db, actions, made)
      }),

    revoke: (workspaceId, id, at) =>
      transact(db, [
        change(
          keys
            .patch({ id })
            .set({ revoked_at: at })
            .where(
              ({ workspace_id, revoked_at }, { eq, notExists }) =>
                `${eq(workspace_id, workspaceId)} AND ${notExists(revoked_at)}`,
            ),
          () => notFound('API_KEY_NOT_FOUND'),
        ),
        erase(listings.delete({ workspace_id: workspaceId, id })),
      ]),

    bringInLine: async (user) => {
      const { workspace_id } = user
      const { data } = await listings.query.newest({ workspace_id }).go({ pages: 'all', ...strongly })
      await inParallel(
        data.filter((listing) => listing.user_id === user.id),
        async ({ id }) => {
          const changed = keys
            .patch({ id })
            .set({ user_name: user.name, user_active: user.active, user_version: user.version })
            .where(({ user_version }, { lt }) => lt(user_version, user.version))
          await isMade(transact(db, [change(changed)]))
        },
      )
    },

    holds: async (workspaceId, userId, scope, at) => {
      const user = await users.find(workspaceId, userId)
      if (!user?.active) return false
      let cursor: string | null = null
      do {
        const page: { data: { id: string; user_id: string }[]; cursor: string | null } = await listings.query
          .newest({ workspace_id: workspaceId })
          .go({ ...strongly, order: 'desc', limit: 100, cursor })
        const items = await readAll(
          db,
          page.data.filter(({ user_id }) => user_id === userId).map(({ id }) => keys.get({ id })),
        )
        for (const item of items) {
          const { data } = keys.parse({ Item: item })
          if (data && data.revoked_at === undefined && isValid(keyOf(data), scope, at)) return true
        }
        cursor = page.cursor
      } while (cursor !== null)
      return false
    },

    touch: async (id, at, unlessAfter) => {
      const touched = keys
        .patch({ id })
        .set({ last_used_at: at })
        .where(
          ({ last_used_at }, { lt, notExists }) =>
            `${notExists(last_used_at)} OR ${lt(last_used_at, unlessAfter)}`,
        )
      await bookkeeping(() => touched.go()).catch(() => undefined)
    },
  }
}

function isValid({ scopes, expires_at }: KeyRecord, scope: Scope, at: string): boolean {
  return scopes.includes(scope) && (expires_at === null || expires_at > at)
}

type KeyItem = Omit<KeyRecord, 'scopes' | 'expires_at' | 'last_used_at'> & {
  scopes?: unknown
  expires_at?: string
  last_used_at?: string
}

function keyOf(item: KeyItem): KeyRecord {
  return { ...withNulls(item, apiKeyEntity.nullable), scopes: item.scopes as Scope[] }
}
