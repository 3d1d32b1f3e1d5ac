import type { UnimportedStore } from '#bea/sync/unimported-ports.ts'
import { allPages, type Db } from '../db.ts'
import { remoteKey } from './bea-message-records.ts'
import { beaUnimportedEntity } from './bea-unimported-entity.ts'

/** After this number of days since a message was seen here, the network has deleted it in any case. */
const keptDays = 180

/** Messages of the network that could not be imported, in the table. */
export function beaUnimportedStore(db: Db): UnimportedStore {
  const unimported = beaUnimportedEntity(db)
  return {
    list: async ({ workspace_id, postbox_safe_id }) => {
      const { data } = await unimported.query.record({ workspace_id, postbox_safe_id }).go(allPages)
      return data.map(
        ({ workspace_id: _, postbox_safe_id: __, remote_key: ___, ttl: ____, ...message }) => message,
      )
    },

    put: async ({ workspace_id, postbox_safe_id }, message) => {
      const ttl = Math.ceil(Date.parse(message.first_seen_at) / 1_000) + keptDays * 86_400
      const key = { workspace_id, postbox_safe_id, remote_key: remoteKey(message.remote_id) }
      const { tried_at, ...rest } = message
      await unimported.upsert({ ...key, ...rest, ...(tried_at !== undefined && { tried_at }), ttl }).go()
    },

    remove: async ({ workspace_id, postbox_safe_id }, remote_id) => {
      await unimported.delete({ workspace_id, postbox_safe_id, remote_key: remoteKey(remote_id) }).go()
    },
  }
}
