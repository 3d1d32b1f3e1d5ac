import type { IcalTokenStore } from '#calendar/ports.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { readEach } from '../batch.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, missingOrBelow, strongly } from '../db.ts'
import { newestFirst } from '../newest-first.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { change, erase, put, retryStale, transact } from '../transact.ts'
import { icalToken, icalTokenListing } from './ical-token-entity.ts'

/** Subscription tokens in the table. */
export function icalTokenStore({ db, cursors }: { db: Db; cursors: Cursors }): IcalTokenStore {
  const tokens = icalToken(db)
  const listings = icalTokenListing(db)

  const findAnywhere: IcalTokenStore['findAnywhere'] = async (id) => {
    const { data } = await tokens.get({ id }).go(strongly)
    return data === null ? undefined : withNulls(data, icalToken.nullable)
  }

  return {
    findAnywhere,

    page: async (workspace_id, user_id, request) => {
      const query = listings.query.newest({ workspace_id, user_id })
      const binding = [workspace_id, 'ical_tokens', user_id]
      const { data, pagination } = await newestFirst(cursors, binding, request, query)
      const items = await readEach(db, data, ({ id }) => tokens.get({ id }))
      const records = items
        .flatMap((Item) => tokens.parse({ Item }).data ?? [])
        .filter(({ revoked_at }) => revoked_at === undefined)
        .map((token) => withNulls(token, icalToken.nullable))
      return { data: records.toSorted((one, other) => (one.id < other.id ? 1 : -1)), pagination }
    },

    add: (change) => {
      const { record } = change
      const { workspace_id, user_id, id } = record
      const actions = [
        put(tokens.create(withoutNulls(record))),
        put(listings.create({ workspace_id, user_id, id })),
      ]
      return transact(db, actions, change)
    },

    touch: async (id, at, unlessAfter) => {
      const touched = tokens
        .patch({ id })
        .set({ last_used_at: at })
        .where(missingOrBelow('last_used_at', unlessAfter))
      await bookkeeping(() => touched.go({ originalErr: true })).catch(() => undefined)
    },

    revoke: (workspaceId, id, at, answerOf) =>
      retryStale(async () => {
        const token = await findAnywhere(id)
        if (token === undefined || token.workspace_id !== workspaceId) throw notFound('ICAL_TOKEN_NOT_FOUND')
        if (token.revoked_at !== null) return unchanged(answerOf(token.revoked_at))
        const actions = [
          change(
            tokens
              .patch({ id })
              .set({ revoked_at: at })
              .where(({ revoked_at }, { notExists }) => notExists(revoked_at)),
          ),
          erase(listings.delete({ workspace_id: workspaceId, user_id: token.user_id, id })),
        ]
        return transact(db, actions, { answer: answerOf(at) })
      }),
  }
}
