import { unsetDatev, unsetSeller } from '#billing/firm-schema.ts'
import { mailboxOf } from '#correspondence/address-schema.ts'
import type { Region } from '#german-time/regions.ts'
import { notFound } from '#kernel/failure.ts'
import type { WorkspaceRecord, WorkspaceStore } from '#workspace/ports.ts'
import { inboundAddress } from '../correspondence/reception-entity.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { put, retryStale, transact } from '../transact.ts'
import { workspaceEntity } from './workspace-entity.ts'

/** Workspaces in the table. */
export function workspaceStore(db: Db): WorkspaceStore {
  const workspaces = lazily(() => workspaceEntity(db))
  const addresses = lazily(() => inboundAddress(db))

  const find = async (id: string): Promise<WorkspaceRecord | undefined> => {
    const { data } = await workspaces.get({ id }).go(strongly)
    if (data === null) return undefined
    return {
      ...data,
      holiday_region: data.holiday_region as Region,
      seller: { ...unsetSeller, ...data.seller },
      datev: { ...unsetDatev, ...data.datev },
    }
  }

  return {
    find,
    add: (record) =>
      transact(db, [
        put(workspaces.create(record)),
        put(
          addresses.create({ mailbox: mailboxOf(record.inbound_address), workspace_id: record.id }),
          () => new Error(`Another workspace has the address ${record.inbound_address}.`),
        ),
      ]),
    change: (id, decide) =>
      retryStale(async () => {
        const before = await find(id)
        if (before === undefined) throw notFound('WORKSPACE_NOT_FOUND')
        const after = decide(before)
        if (after === undefined) return before
        await transact(db, [
          put(workspaces.put(after).where(({ version }, { eq }) => eq(version, before.version))),
        ])
        return after
      }),
  }
}
