import type { BeaPermissionStore } from '#bea/rights/permission-ports.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { rewrite } from '../rewrite.ts'
import { retryStale, transact } from '../transact.ts'
import { beaPermissionEntity } from './bea-permission-entity.ts'

/** Rights at accounts of beA in the table: one item for each user of an account. */
export function beaPermissionStore(db: Db): BeaPermissionStore {
  const permissions = beaPermissionEntity(db)
  return {
    find: async (workspace_id, account_id, user_id) => {
      const { data } = await permissions.get({ workspace_id, account_id, user_id }).go(strongly)
      return data?.rights ?? {}
    },

    list: async (workspace_id, account_id) => {
      const query = permissions.query.record({ workspace_id, account_id })
      const { data } = await query.go(allPages)
      return data.map(({ user_id, rights }) => ({ workspace_id, account_id, user_id, rights }))
    },

    change: (target, decide) =>
      retryStale(async () => {
        const { data } = await permissions.get(target).go(strongly)
        const change = decide(data?.rights ?? {})
        const { rights } = change
        const next = permissions.put({ ...target, rights, version: (data?.version ?? 0) + 1 })
        const written = next.where(({ version }, { eq, notExists }) =>
          data === null ? notExists(version) : eq(version, data.version),
        )
        const action = rewrite(
          permissions,
          written,
          { rights: data?.rights },
          { mayLack: { 'rights.*': true } },
        )
        return transact(db, [action], change)
      }),
  }
}
