import type { BeaAccountRecord, BeaAccountStore } from '#bea/ports.ts'
import { conflict, type Failure } from '#kernel/failure.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { records } from '../records.ts'
import { rewrite } from '../rewrite.ts'
import { type Action, erase, retryStale, transact } from '../transact.ts'
import { beaAccountEntity, beaIdentityEntity, beaKeyEntity } from './bea-account-entity.ts'
import { schedulingOf } from './scheduled-bea-syncs.ts'

/** Postboxes of beA in the table. */
export function beaAccountStore(db: Db): BeaAccountStore {
  const items = beaAccountEntity(db)
  const options = { missing: 'BEA_ACCOUNT_NOT_FOUND', mayLack: { 'last_sync.kept_out': true } } as const
  const isOver = ({ disconnected_at }: BeaAccountRecord) => disconnected_at !== null
  const { find: findEver, recordOf } = records<BeaAccountRecord>(db, beaAccountEntity, options)
  const accounts = records<BeaAccountRecord>(db, beaAccountEntity, { ...options, isOver })
  const identities = beaIdentityEntity(db)
  const keys = beaKeyEntity(db)

  const { find, found, replace } = accounts
  const listEver = async (workspace_id: string): Promise<BeaAccountRecord[]> => {
    const { data } = await items.query.oldest({ workspace_id }).go(allPages)
    return data.map(recordOf)
  }
  /** Gives the identity of a record to its account, which another connected account must not have. */
  const claimed = async (record: BeaAccountRecord): Promise<Action[]> => {
    const { workspace_id, id: account_id } = record
    const identity = identityOf(record)
    const { data: current } = await identities.get({ workspace_id, identity }).go(strongly)
    if (current?.account_id === account_id) return []
    if (current !== null && (await find(workspace_id, current.account_id)) !== undefined) throw alreadyThere()
    const item = identities.put({ workspace_id, identity, account_id })
    return [
      rewrite(
        identities,
        item.where((attributes, { eq, notExists }) =>
          current === null ? notExists(attributes.account_id) : eq(attributes.account_id, current.account_id),
        ),
        {},
      ),
    ]
  }

  return {
    find,
    findEver,
    list: async (workspaceId) => (await listEver(workspaceId)).filter((account) => !isOver(account)),
    listEver,
    findSame: async (workspace_id, postbox) => {
      const { data } = await identities.get({ workspace_id, identity: identityOf(postbox) }).go(strongly)
      return data === null ? undefined : findEver(workspace_id, data.account_id)
    },

    add: (change, sealed) =>
      retryStale(async () => {
        const { record } = change
        const { workspace_id, id } = record
        const earlier = record.version === 1 ? undefined : await findEver(workspace_id, id)
        const actions = [
          ...(await claimed(record)),
          earlier === undefined
            ? accounts.add(record, alreadyThere)
            : replace(asReplaced(earlier, record), record, alreadyThere),
          ...(sealed === null ? [] : [rewrite(keys, keys.put({ workspace_id, account_id: id, sealed }), {})]),
          // A card must be put in by its owner; everything else the schedule synchronises, beginning at once (B5).
          ...(record.kind === 'card' ? [] : [schedulingOf(db, record, record.created_at)]),
        ]
        return transact(db, actions, change)
      }),

    change: (workspaceId, id, decide) =>
      retryStale(async () => {
        const before = await found(workspaceId, id)
        const decided = decide(before)
        if (decided === undefined) return before
        const after = { ...decided, version: before.version + 1 }
        const claim = after.safe_id === before.safe_id ? [] : await claimed(after)
        await transact(db, [...claim, replace(before, after)])
        return after
      }),

    disconnect: (workspaceId, id, disconnected_at) =>
      retryStale(async () => {
        const before = await found(workspaceId, id)
        await transact(db, [
          replace(before, { ...before, disconnected_at, version: before.version + 1 }),
          erase(keys.delete({ workspace_id: workspaceId, account_id: id })),
        ])
      }),
  }
}

/**
 * An account that was disconnected, as a new connection replaces it: in the version that was decided about, and without
 * its certificate if that is another one, which inherits nothing.
 */
function asReplaced(earlier: BeaAccountRecord, { version, certificate }: BeaAccountRecord): BeaAccountRecord {
  const isSame = earlier.certificate?.thumbprint === certificate?.thumbprint
  return { ...earlier, version: version - 1, ...(!isSame && { certificate: null }) }
}

/**
 * The identity of an account, unique in its workspace (B2): the SAFE-ID, or the thumbprint of a card that has not
 * logged in yet. Letters of a SAFE-ID count alike in upper and lower case.
 */
function identityOf({ safe_id, certificate }: Pick<BeaAccountRecord, 'safe_id' | 'certificate'>): string {
  if (safe_id !== null) return `safe_id ${safe_id.toLowerCase()}`
  if (certificate !== null) return `thumbprint ${certificate.thumbprint}`
  throw new Error('An account has a SAFE-ID or a certificate.')
}

function alreadyThere(): Failure {
  return conflict('BEA_ACCOUNT_EXISTS', 'This postbox is connected already: disconnect that account first.')
}
