import type { BeaAccountRecord, BeaAccountStore } from '#bea/ports.ts'
import type { BeaGrants, BeaPermissionStore } from '#bea/rights/permission-ports.ts'
import type {
  BeaKeyStore,
  BeaLoginRecord,
  BeaLoginStore,
  BeaSessionStore,
  SessionOwner,
  StoredSession,
} from '#bea/sessions/session-ports.ts'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { SecretBox } from '#kernel/secret-box.ts'

/** beA stores in memory. `test/store/bea-*.test.ts` shows that the stores in the table keep the same promises. */
export function beaInMemory() {
  const records = new Map<string, BeaAccountRecord>()
  const sealedKeys = new Map<string, string>()
  const wanted = new Map<string, number>()
  const held = new Map<string, { stored: StoredSession | null; holder: string | null; until: number }>()
  const logins = new Map<string, BeaLoginRecord>()
  const grants: BeaGrants[] = []
  const keyOf = ({ workspace_id, account_id }: SessionOwner) => `${workspace_id} ${account_id}`
  const isSame = (one: Pick<BeaAccountRecord, 'safe_id' | 'certificate'>, other: typeof one) =>
    one.safe_id === null
      ? one.certificate?.thumbprint === other.certificate?.thumbprint
      : one.safe_id.toLowerCase() === other.safe_id?.toLowerCase()

  const findEver = async (workspaceId: string, id: string) => {
    const record = records.get(id)
    return record?.workspace_id === workspaceId ? record : undefined
  }
  const find = async (workspaceId: string, id: string) => {
    const record = await findEver(workspaceId, id)
    return record?.disconnected_at === null ? record : undefined
  }
  const listEver = async (workspaceId: string) =>
    [...records.values()].filter(({ workspace_id }) => workspace_id === workspaceId)
  const findSame: BeaAccountStore['findSame'] = async (workspaceId, postbox) =>
    (await listEver(workspaceId)).find((record) => isSame(postbox, record))
  const refuseSecond = async (record: BeaAccountRecord) => {
    const same = await findSame(record.workspace_id, record)
    if (same !== undefined && same.disconnected_at === null && same.id !== record.id)
      throw new Failure('conflict', 'BEA_ACCOUNT_EXISTS', 'This postbox is connected already.')
  }

  const accounts: BeaAccountStore = {
    find,
    findEver,
    listEver,
    findSame,
    list: async (workspaceId) =>
      (await listEver(workspaceId)).filter(({ disconnected_at }) => disconnected_at === null),
    add: async ({ record, answer }, sealed) => {
      await refuseSecond(record)
      records.set(record.id, record)
      if (sealed !== null) sealedKeys.set(record.id, sealed)
      return unchanged(answer)
    },
    change: async (workspaceId, id, decide) => {
      const before = await find(workspaceId, id)
      if (before === undefined) throw notFound('BEA_ACCOUNT_NOT_FOUND')
      const decided = decide(before)
      if (decided === undefined) return before
      const after = { ...decided, version: before.version + 1 }
      if (after.safe_id !== before.safe_id) await refuseSecond(after)
      records.set(id, after)
      return after
    },
    disconnect: async (workspaceId, id, disconnected_at) => {
      const before = await find(workspaceId, id)
      if (before === undefined) throw notFound('BEA_ACCOUNT_NOT_FOUND')
      records.set(id, { ...before, disconnected_at, version: before.version + 1 })
      sealedKeys.delete(id)
    },
  }

  const keys: BeaKeyStore = { find: async ({ account_id }) => sealedKeys.get(account_id) }

  const sessions: BeaSessionStore = {
    find: async (owner) => held.get(keyOf(owner))?.stored ?? undefined,
    claim: async (owner, { holder, now, until, yields = false }) => {
      const current = held.get(keyOf(owner)) ?? { stored: null, holder: null, until: 0 }
      if (current.holder !== null && current.until > now.getTime()) return undefined
      if (yields && (await sessions.isWanted(owner, now))) return undefined
      held.set(keyOf(owner), { stored: current.stored, holder, until: until.getTime() })
      return { stored: current.stored }
    },
    want: async (owner, until) => void wanted.set(keyOf(owner), until.getTime()),
    isWanted: async (owner, now) => (wanted.get(keyOf(owner)) ?? 0) > now.getTime(),
    keep: async (owner, { holder, until, session }) => {
      const current = held.get(keyOf(owner))
      if (current?.holder !== holder) return false
      const stored = session === undefined ? current.stored : session
      held.set(keyOf(owner), { stored, holder: until === null ? null : holder, until: until?.getTime() ?? 0 })
      return true
    },
    begin: async (owner, { holder, until, session, loggedOut }) => {
      const account = await find(owner.workspace_id, owner.account_id)
      if (held.get(keyOf(owner))?.holder !== holder || account === undefined) return false
      if ((account.logged_out ?? null) !== loggedOut) return false
      if (loggedOut !== null)
        records.set(account.id, { ...account, logged_out: null, version: account.version + 1 })
      held.set(keyOf(owner), { stored: session, holder, until: until.getTime() })
      return true
    },
    remove: async (owner) => void held.delete(keyOf(owner)),
  }

  const loginStore: BeaLoginStore = {
    put: async ({ record, answer }) => {
      logins.set(record.id, record)
      return unchanged(answer)
    },
    take: async ({ id, user_id, step, workspace_id }, now) => {
      const login = logins.get(id)
      if (login?.user_id !== user_id || login.step !== step || login.workspace_id !== workspace_id)
        return undefined
      if (login.expires_at <= now.toISOString()) return undefined
      logins.delete(id)
      return login
    },
  }

  const grantsOf = (workspaceId: string, accountId: string) =>
    grants.filter((one) => one.workspace_id === workspaceId && one.account_id === accountId)
  const permissions: BeaPermissionStore = {
    find: async (workspaceId, accountId, userId) =>
      grantsOf(workspaceId, accountId).find(({ user_id }) => user_id === userId)?.rights ?? {},
    list: async (workspaceId, accountId) => grantsOf(workspaceId, accountId),
    change: async (target, decide) => {
      const same = grantsOf(target.workspace_id, target.account_id).find(
        ({ user_id }) => user_id === target.user_id,
      )
      const grant = same ?? { ...target, rights: {} }
      const { rights, answer } = decide(grant.rights)
      grant.rights = rights
      if (same === undefined) grants.push(grant)
      return unchanged(answer)
    },
  }

  return { accounts, keys, sealedKeys, sessions, logins: loginStore, permissions, secrets: plainSecretBox }
}

/** Does not encrypt, but opens a secret only with the context with which it was sealed. */
const plainSecretBox: SecretBox = {
  seal: async (text, context) => JSON.stringify({ text, context: canonicalJson(context) }),
  open: async (sealed, context) => {
    const envelope = JSON.parse(sealed)
    if (envelope.context !== canonicalJson(context)) throw new Error('This secret belongs elsewhere.')
    return envelope.text
  },
}
