import { unsetDatev, unsetSeller } from '#billing/firm-schema.ts'
import { mailboxOf } from '#correspondence/address-schema.ts'
import type { DocumentWorkspaces } from '#documents/ports.ts'
import type { Region } from '#german-time/regions.ts'
import { required } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { WorkspaceRecord, WorkspaceStore } from '#workspace/ports.ts'
import { inboundAddress } from '../correspondence/reception-entity.ts'
import { type Db, strongly } from '../db.ts'
import { asRead } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { erase, put, retryStale, transact } from '../transact.ts'
import { webhookTokenEntity } from './webhook-token-entity.ts'
import { workspaceEntity } from './workspace-entity.ts'

/** Workspaces in the table. */
export function workspaceStore(db: Db): WorkspaceStore & Pick<DocumentWorkspaces, 'findByWebhookToken'> {
  const workspaces = workspaceEntity(db)
  const addresses = inboundAddress(db)
  const tokens = webhookTokenEntity(db)

  const tokenOf = ({ id, webhook_token }: WorkspaceRecord) => ({
    token_sha256: hexDigest(webhook_token),
    workspace_id: id,
  })

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

    timeZoneOf: async (id) => (await find(id))?.time_zone ?? 'Europe/Berlin',

    findByWebhookToken: async (token) => {
      const { data } = await tokens.get({ token_sha256: hexDigest(token) }).go(strongly)
      const record = data === null ? undefined : await find(data.workspace_id)
      return record !== undefined && hexDigest(record.webhook_token) === data?.token_sha256
        ? record
        : undefined
    },

    noteWebhookToken: async (record) => {
      await transact(db, [rewrite(tokens, tokens.put(tokenOf(record)), {})])
    },

    add: (record) =>
      transact(db, [
        put(workspaces.create(record)),
        put(
          addresses.create({ mailbox: mailboxOf(record.inbound_address), workspace_id: record.id }),
          () => new Error(`Another workspace has the address ${record.inbound_address}.`),
        ),
        put(tokens.put(tokenOf(record))),
      ]),
    change: (id, decide) =>
      retryStale(async () => {
        const before = required(await find(id), 'WORKSPACE_NOT_FOUND')
        const decided = decide(before)
        const { record: after } = decided
        if (after === undefined) return unchanged(decided.answer)
        const actions = [
          rewrite(workspaces, workspaces.put(after).where(asRead(before)), before),
          ...(after.webhook_token === before.webhook_token
            ? []
            : [put(tokens.put(tokenOf(after))), erase(tokens.delete(tokenOf(before)))]),
        ]
        return transact(db, actions, decided)
      }),
  }
}
