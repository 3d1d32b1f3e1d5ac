import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { auditEvent } from '#audit/schema.ts'
import { unsetDatev, unsetSeller } from '#billing/firm-schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { everyItem } from '#kernel/every-item.ts'
import { conflict, invalid, notFound, required, requiredActive } from '#kernel/failure.ts'
import { bareUuid, newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { hashSecret } from './authenticate.ts'
import { userChanged } from './jobs.ts'
import type {
  CleanHtml,
  KeyStore,
  RescheduleExports,
  UserRecord,
  UserStore,
  WorkspaceDeadlines,
  WorkspaceRecord,
  WorkspaceStore,
} from './ports.ts'
import type {
  ApiKey,
  ApiKeyInput,
  ChangedUser,
  ChangedWorkspace,
  CreatedApiKey,
  Me,
  User,
  UserChanges,
  UserInput,
  WebhookSettings,
  Workspace,
  WorkspaceChanges,
  WorkspaceInput,
} from './schema.ts'

export type WorkspaceService = ReturnType<typeof workspaceService>

/** The same limit as for inputs (G8); clean HTML may be longer than its input because it contains entities. */
const maxSignatureLength = 20_000

/** The caller of a use case that needs only the workspace. The audit names the user, if there is one. */
type Member = Pick<Actor, 'workspace_id'> | Actor

/** The settings of a workspace, its users and their keys (W1 to W4, W7). */
export function workspaceService(deps: {
  workspaces: WorkspaceStore
  users: UserStore
  keys: KeyStore
  /** Absent in commands of the operator: then changes return no warnings. */
  deadlines?: WorkspaceDeadlines
  /** Absent in commands of the operator: then the next runs of exports keep their times. */
  rescheduleExports?: RescheduleExports
  cleanHtml: CleanHtml
  clock: Clock
}) {
  const { workspaces, users, keys, deadlines, rescheduleExports, cleanHtml, clock } = deps

  /**
   * Cleans the signature before it is saved. A signature that no mail can contain is refused here. Otherwise every
   * reply with it would be refused.
   */
  const withCleanSignature = async <Input extends { signature_html?: string | null | undefined }>(
    input: Input,
  ): Promise<Input> => {
    if (!input.signature_html) return input
    const path = 'body.signature_html'
    const signature_html = await cleanHtml(input.signature_html, path)
    if (signature_html.length <= maxSignatureLength) return { ...input, signature_html }
    const message = `At most ${maxSignatureLength} characters of clean HTML.`
    throw invalid('The signature is too long.', [{ path, message }])
  }

  const found = async (id: string): Promise<WorkspaceRecord> => {
    return required(await workspaces.find(id), 'WORKSPACE_NOT_FOUND')
  }

  /**
   * Another user who can manage users: active, and with a valid key that has `workspace:admin`.
   *
   * @throws Failure LAST_ADMIN if there is none
   */
  const otherAdmin = async (workspaceId: string, userId: string): Promise<UserRecord> => {
    const now = timestamp(clock)
    for await (const key of everyItem((request) => keys.page(workspaceId, request))) {
      const { user_id, scopes, expires_at } = key
      const isValid = expires_at === null || expires_at > now
      if (user_id === userId || !isValid || !scopes.includes('workspace:admin')) continue
      const user = await users.find(workspaceId, user_id)
      if (user?.active) return user
    }
    throw conflict(
      'LAST_ADMIN',
      'No other active user has a key with `workspace:admin`: nobody could manage users. Create such a key first.',
    )
  }

  const newToken = () => ({
    webhook_token: randomBytes(32).toString('base64url'),
    webhook_token_created_at: timestamp(clock),
  })

  return {
    /** Creates a workspace (W7). */
    async create(input: WorkspaceInput): Promise<WorkspaceRecord> {
      const id = newId('workspace')
      const { inbound_domain, ...settings } = input
      const record = {
        id,
        ...settings,
        auto_file: 'certain' as const,
        seller: unsetSeller,
        datev: unsetDatev,
        inbound_address: `${bareUuid(id).slice(-12)}@${inbound_domain}`,
        created_at: timestamp(clock),
        ...newToken(),
        version: 1,
      }
      await workspaces.add(record)
      return record
    },

    get: (member: Member): Promise<Workspace> => found(member.workspace_id),

    /**
     * The user, the workspace and the API key of the caller (G18).
     *
     * @throws Failure API_KEY_NOT_FOUND if it was just revoked
     */
    async me({ workspace_id, user_id, key_id }: Actor): Promise<Me> {
      const [workspace, user, api_key] = await Promise.all([
        found(workspace_id),
        users.find(workspace_id, user_id),
        keys.findAnywhere(key_id),
      ])
      if (user === undefined) throw notFound('USER_NOT_FOUND')
      if (api_key === undefined || api_key.revoked_at !== null) throw notFound('API_KEY_NOT_FOUND')
      return { user, workspace, api_key }
    },

    /**
     * Changes the included fields, also of the seller and of the DATEV settings (X8). If `holiday_region` is included,
     * the answer names the open deadlines that may end on another day there. If `time_zone` is included, the next runs
     * of exports are moved (X5), even if the zone is the same: an earlier request may have failed before it moved them.
     */
    async change(member: Member, changes: WorkspaceChanges): Promise<ChangedWorkspace> {
      const { seller, datev, ...settings } = changes
      const workspace = await workspaces.change(member.workspace_id, (current) => {
        const changed = {
          ...current,
          ...defined(settings),
          seller: seller === null ? unsetSeller : { ...current.seller, ...defined(seller ?? {}) },
          datev: datev === null ? unsetDatev : { ...current.datev, ...defined(datev ?? {}) },
        }
        if (isDeepStrictEqual(changed, current)) return { answer: current }
        const record = { ...changed, version: current.version + 1 }
        const audit = auditEvent(member, 'settings.updated', 'workspace', member.workspace_id)
        return { record, answer: record, audit }
      })
      if (changes.time_zone !== undefined) await rescheduleExports?.(workspace.id, workspace.time_zone)
      if (changes.holiday_region === undefined || deadlines === undefined) return workspace
      const { id, holiday_region, time_zone } = workspace
      return { ...workspace, ...(await deadlines.ofRegion(id, holiday_region, time_zone)) }
    },

    /**
     * The webhook token, and the address to which documents are pushed (W2). The token also allows large uploads (D14).
     */
    async webhooks(member: Member, baseUrl: string): Promise<WebhookSettings> {
      const record = await found(member.workspace_id)
      await workspaces.noteWebhookToken(record)
      return webhookSettings(record, baseUrl)
    },

    /** Replaces the webhook token. The old token stops working before this resolves (W2). */
    rotateWebhookToken: (member: Member, baseUrl: string): Promise<Answered<WebhookSettings>> =>
      workspaces.change(member.workspace_id, (current) => {
        const record = { ...current, ...newToken(), version: current.version + 1 }
        const audit = auditEvent(member, 'token.created', 'webhook_token', member.workspace_id)
        return { record, answer: webhookSettings(record, baseUrl), audit }
      }),

    listUsers: (member: Member, request: PageRequest): Promise<Page<User>> =>
      users.page(member.workspace_id, request),

    /** @throws Failure VALIDATION_ERROR for a signature that is too complicated for a mail */
    async addUser(member: Member, input: UserInput): Promise<Answered<User>> {
      const record = {
        workspace_id: member.workspace_id,
        id: newId('user'),
        ...(await withCleanSignature(input)),
        active: true,
        created_at: timestamp(clock),
        version: 1,
      }
      const audit = auditEvent(member, 'user.created', 'user', record.id)
      return users.add({ record, answer: record, audit })
    },

    /** @throws Failure USER_NOT_FOUND */
    async getUser(member: Member, id: string): Promise<User> {
      return required(await users.find(member.workspace_id, id), 'USER_NOT_FOUND')
    },

    /**
     * Changes the included fields. If this deactivates the user, the user's keys no longer work once this resolves
     * (W3), and the answer names the user's open deadlines.
     *
     * @throws Failure USER_NOT_FOUND; LAST_ADMIN if nobody could manage users any more; VALIDATION_ERROR for a signature
     *   that is too complicated for a mail
     */
    async changeUser(member: Member, id: string, changes: UserChanges): Promise<ChangedUser> {
      const clean = await withCleanSignature(changes)
      const user = await users.change(member.workspace_id, id, async (current) => {
        const changed = { ...current, ...defined(clean) }
        if (isDeepStrictEqual(changed, current)) {
          // An earlier request with this change may have got 503 because the change had not reached all keys.
          await keys.copyUser(current)
          return { answer: current }
        }
        const record = { ...changed, version: current.version + 1 }
        const jobs = [userChanged.of({ workspace_id: member.workspace_id, user_id: id })]
        const audit = auditEvent(member, 'user.updated', 'user', id)
        const isLeaving = current.active && !changed.active
        const remaining = isLeaving ? await otherAdmin(member.workspace_id, id) : undefined
        return { record, jobs, answer: record, audit, remaining }
      })
      if (changes.active !== false || deadlines === undefined) return user
      const { time_zone } = await found(member.workspace_id)
      return { ...user, ...(await deadlines.ofUser(member.workspace_id, id, time_zone)) }
    },

    listKeys: (member: Member, request: PageRequest): Promise<Page<ApiKey>> =>
      keys.page(member.workspace_id, request),

    /**
     * Creates a key for a user. Only this answer has its secret (G12).
     *
     * @throws Failure USER_NOT_FOUND, also for a deactivated user; VALIDATION_ERROR for a key that has expired already
     */
    async addKey(member: Member, input: ApiKeyInput): Promise<Answered<CreatedApiKey>> {
      if (input.expires_at !== null && input.expires_at <= timestamp(clock))
        throw invalid('This key has expired already.', [
          { path: 'body.expires_at', message: 'This must be in the future.' },
        ])
      const secret = randomBytes(32).toString('base64url')
      return keys.add(member.workspace_id, input.user_id, (user) => {
        requiredActive(user, 'body.user_id', user.id)
        const record = {
          id: newId('apiKey'),
          workspace_id: member.workspace_id,
          user_id: user.id,
          name: input.name,
          scopes: [...new Set(input.scopes)],
          secret_hash: hashSecret(secret),
          expires_at: input.expires_at,
          last_used_at: null,
          refused_at: null,
          revoked_at: null,
          created_at: timestamp(clock),
          user_name: user.name,
          user_active: user.active,
          user_version: user.version,
        }
        const audit = auditEvent(member, 'key.created', 'api_key', record.id)
        return { record, answer: { ...record, key: `${record.id}_${secret}` }, audit }
      })
    },

    /** Revokes a key at once. @throws Failure API_KEY_NOT_FOUND */
    revokeKey: (member: Member, id: string): Promise<void> =>
      keys.revoke(
        member.workspace_id,
        id,
        timestamp(clock),
        auditEvent(member, 'key.revoked', 'api_key', id),
      ),
  }
}

function webhookSettings(record: WorkspaceRecord, baseUrl: string): WebhookSettings {
  return {
    token: record.webhook_token,
    created_at: record.webhook_token_created_at,
    url: `${baseUrl}/webhooks/inbox/${record.id}`,
  }
}

type Defined<Changes> = { [Field in keyof Changes]: Exclude<Changes[Field], undefined> }

/** The changes without undefined fields. */
function defined<Changes extends object>(changes: Changes): Partial<Defined<Changes>> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<
    Defined<Changes>
  >
}
