import type { AuditEvent } from '#audit/schema.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { notFound, required, unknownAt } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { Scope } from '#kernel/scope.ts'
import { timeLeft, withTimeLimit } from '#kernel/time-limit.ts'
import type { KeyRecord, KeyStore, UserRecord } from '#workspace/ports.ts'
import { readEach } from '../batch.ts'
import type { Cursors } from '../cursor.ts'
import { allPages, type Db, missingOrBelow, strongly } from '../db.ts'
import { newestFirst } from '../newest-first.ts'
import { type WithoutNulls, withNulls, withoutNulls } from '../nulls.ts'
import { records } from '../records.ts'
import { change, erase, isMade, type Operation, put, retryStale, transact } from '../transact.ts'
import { apiKeyEntity, apiKeyListing } from './api-key-entity.ts'
import { userEntity } from './user-entity.ts'

/**
 * How long a request waits until the audit has recorded the first use or the refusal of its key, if many write the audit
 * at once. After that the request is refused, since it would not be in the audit.
 */
const maxAuditMilliseconds = 15_000

/** API keys in the table. */
export function keyStore(db: Db, cursors: Cursors): KeyStore {
  const keys = apiKeyEntity(db)
  const listings = apiKeyListing(db)
  const users = records<UserRecord>(db, userEntity, { missing: 'USER_NOT_FOUND' })

  /** The keys of these entries of the list that are not revoked. */
  const unrevoked = async (listed: { id: string }[]): Promise<KeyRecord[]> => {
    const items = await readEach(db, listed, ({ id }) => keys.get({ id }))
    const found = items.flatMap((Item) => keys.parse({ Item }).data ?? [])
    return found.filter(({ revoked_at }) => revoked_at === undefined).map(keyOf)
  }

  /** The running notes of this process, by action and key: concurrent requests with one key wait for the same write. */
  const beingNoted = new Map<string, Promise<void>>()

  /** Notes something about a key together with an entry of the audit. @throws Failure 503 if that takes too long */
  const noteAudited = (id: string, noted: Operation, audit: AuditEvent): Promise<void> => {
    const name = `${audit.action} ${id}`
    const write = async (): Promise<void> => {
      // Within the time limit, which begins to watch anew: to note a key is no change that the caller asked for.
      const written = () => bookkeeping(() => transact(db, [change(noted)], { answer: undefined, audit }))
      // Another process may have recorded it first.
      await isMade(withTimeLimit(Math.min(timeLeft(), maxAuditMilliseconds), written))
    }
    const note = beingNoted.get(name) ?? write().finally(() => beingNoted.delete(name))
    beingNoted.set(name, note)
    return note
  }

  return {
    findAnywhere: async (id) => {
      const { data } = await keys.get({ id }).go(strongly)
      return data === null ? undefined : keyOf(data)
    },

    page: async (workspace_id, request) => {
      const query = listings.query.newest({ workspace_id })
      const { data, pagination } = await newestFirst(cursors, [workspace_id, 'api_keys'], request, query)
      const records = await unrevoked(data)
      return { data: records.toSorted((one, other) => (one.id < other.id ? 1 : -1)), pagination }
    },

    add: (workspaceId, userId, make) =>
      retryStale(async () => {
        const found = await users.find(workspaceId, userId)
        const user = required(found, 'USER_NOT_FOUND', unknownAt('body.user_id', userId))
        const made = make(user)
        const { record } = made
        const actions = [
          users.unchanged(user),
          put(keys.create(withoutNulls(record))),
          put(listings.create({ workspace_id: workspaceId, id: record.id, user_id: userId })),
        ]
        return transact(db, actions, made)
      }),

    revoke: (workspaceId, id, at, audit) => {
      const actions = [
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
      ]
      return transact(db, actions, { answer: undefined, audit })
    },

    copyUser: async (user) => {
      const { workspace_id } = user
      const { data } = await listings.query.newest({ workspace_id }).go(allPages)
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

    hasScope: async (workspaceId, userId, scope, at) => {
      const user = await users.find(workspaceId, userId)
      if (!user?.active) return false
      let cursor: string | null = null
      do {
        const page: { data: { id: string; user_id: string }[]; cursor: string | null } = await listings.query
          .newest({ workspace_id: workspaceId })
          .go({ ...strongly, order: 'desc', limit: 100, cursor })
        const records = await unrevoked(page.data.filter(({ user_id }) => user_id === userId))
        if (records.some((record) => isValid(record, scope, at))) return true
        cursor = page.cursor
      } while (cursor !== null)
      return false
    },

    touch: async ({ id, last_used_at: before }, at, unlessAfter, audit) => {
      const touched = keys
        .patch({ id })
        .set({ last_used_at: at })
        .where(({ last_used_at }, { lt, notExists }) =>
          before === null ? notExists(last_used_at) : lt(last_used_at, unlessAfter),
        )
      if (before === null) await bookkeeping(() => noteAudited(id, touched, audit))
      else await bookkeeping(() => touched.go()).catch(() => undefined)
    },

    noteRefusal: async ({ id }, at, unlessAfter, audit) => {
      const noted = keys
        .patch({ id })
        .set({ refused_at: at })
        .where(missingOrBelow('refused_at', unlessAfter))
      await bookkeeping(() => noteAudited(id, noted, audit))
    },
  }
}

function isValid({ scopes, expires_at }: KeyRecord, scope: Scope, at: string): boolean {
  return scopes.includes(scope) && (expires_at === null || expires_at > at)
}

function keyOf(item: WithoutNulls<KeyRecord>): KeyRecord {
  return withNulls(item, apiKeyEntity.nullable)
}
