import type { ExportTokenStore } from '#exports/config-ports.ts'
import { bookkeeping } from '#kernel/changes.ts'
import { notFound } from '#kernel/failure.ts'
import { readEach } from '../batch.ts'
import type { Cursors } from '../cursor.ts'
import { type Db, missingOrBelow, strongly } from '../db.ts'
import { newestFirst } from '../newest-first.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { change, demand, erase, put, transact } from '../transact.ts'
import { exportConfigEntity } from './export-config-entity.ts'
import { exportToken, exportTokenListing } from './export-token-entity.ts'

/** Tokens of exports in the table. */
export function exportTokenStore({ db, cursors }: { db: Db; cursors: Cursors }): ExportTokenStore {
  const tokens = exportToken(db)
  const listings = exportTokenListing(db)
  const configs = exportConfigEntity(db)

  return {
    findAnywhere: async (sha256) => {
      const { data } = await tokens.get({ token_sha256: sha256 }).go(strongly)
      return data === null || data.revoked_at !== undefined
        ? undefined
        : withNulls(data, exportToken.nullable)
    },

    page: async (workspace_id, config_id, request) => {
      const query = listings.query.newest({ workspace_id, config_id })
      const binding = [workspace_id, 'export_tokens', config_id]
      const { data, pagination } = await newestFirst(cursors, binding, request, query)
      const items = await readEach(db, data, ({ token_sha256 }) => tokens.get({ token_sha256 }))
      const records = items
        .flatMap((Item) => tokens.parse({ Item }).data ?? [])
        .filter(({ revoked_at }) => revoked_at === undefined)
        .map((token) => withNulls(token, exportToken.nullable))
      return { data: records.toSorted((one, other) => (one.id < other.id ? 1 : -1)), pagination }
    },

    add: (change) => {
      const { record } = change
      const { workspace_id, config_id, id, token_sha256 } = record
      const actions = [
        demand(configs.remove({ workspace_id, id: config_id }), () => notFound('CONFIG_NOT_FOUND')),
        put(tokens.create(withoutNulls(record))),
        put(listings.create({ workspace_id, config_id, id, token_sha256 })),
      ]
      return transact(db, actions, change)
    },

    revoke: async (workspaceId, configId, id, at) => {
      const listing = { workspace_id: workspaceId, config_id: configId, id }
      const { data } = await listings.get(listing).go(strongly)
      if (data === null) throw notFound('EXPORT_TOKEN_NOT_FOUND')
      await transact(db, [
        erase(listings.remove(listing), () => notFound('EXPORT_TOKEN_NOT_FOUND')),
        change(tokens.patch({ token_sha256: data.token_sha256 }).set({ revoked_at: at })),
      ])
    },

    touch: async (sha256, at, unlessAfter) => {
      const touched = tokens
        .patch({ token_sha256: sha256 })
        .set({ last_used_at: at })
        .where(missingOrBelow('last_used_at', unlessAfter))
      await bookkeeping(() => touched.go({ originalErr: true })).catch(() => undefined)
    },
  }
}
