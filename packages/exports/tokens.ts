import { randomBytes } from 'node:crypto'
import { auditEvent } from '#audit/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure, required } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { ExportConfigStore, ExportTokenKeys, ExportTokenStore } from './config-ports.ts'
import type { CreatedExportToken, ExportToken, ExportTokenInput } from './schema.ts'

export type ExportTokenDeps = {
  tokens: ExportTokenStore
  configs: Pick<ExportConfigStore, 'find'>
  keys: ExportTokenKeys
  clock: Clock
}

export type ExportTokenService = ReturnType<typeof exportTokenService>

/** The holder of a token, with the configuration that the token opens. */
export type TokenHolder = { workspace_id: string; config_id: string; token_id: string }

/** The minimum time between two writes of `last_used_at`, as for API keys (G12). */
const touchMilliseconds = 60 * 60 * 1_000

/** Tokens with which other systems retrieve an export without an API key (X4). */
export function exportTokenService({ tokens, configs, keys, clock }: ExportTokenDeps) {
  const requireConfig = async (workspaceId: string, configId: string): Promise<void> => {
    required(await configs.find(workspaceId, configId), 'CONFIG_NOT_FOUND')
  }

  return {
    /** Makes a token of 256 random bits. Only its digest is stored. @throws Failure CONFIG_NOT_FOUND */
    async generate(
      actor: Actor,
      configId: string,
      { expires_in_hours }: ExportTokenInput,
    ): Promise<Answered<CreatedExportToken>> {
      const { workspace_id, user_id } = actor
      const token = randomBytes(32).toString('base64url')
      const id = newId('exportToken')
      const now = clock.now()
      const expires_at = new Date(now.getTime() + expires_in_hours * 3_600_000).toISOString()
      const record = {
        id,
        token_sha256: hexDigest(token),
        workspace_id,
        config_id: configId,
        created_by: user_id,
        created_at: now.toISOString(),
        expires_at,
        last_used_at: null,
      }
      const audit = auditEvent(actor, 'token.created', 'export_token', id)
      return tokens.add({ record, answer: { id, token, expires_at }, audit })
    },

    /** The tokens of a configuration that are not revoked, newest first. @throws Failure CONFIG_NOT_FOUND */
    async list({ workspace_id }: Actor, configId: string, request: PageRequest): Promise<Page<ExportToken>> {
      await requireConfig(workspace_id, configId)
      return tokens.page(workspace_id, configId, request)
    },

    /** Revokes a token at once. @throws Failure CONFIG_NOT_FOUND, EXPORT_TOKEN_NOT_FOUND */
    async revoke({ workspace_id }: Actor, configId: string, id: string): Promise<void> {
      await requireConfig(workspace_id, configId)
      await tokens.revoke(workspace_id, configId, id, timestamp(clock))
    },

    /**
     * Checks a token for this configuration. An unknown token costs one read. A token has the current rights of its
     * creator: it stops working if the creator is deactivated or no longer has a valid key that may read exports.
     *
     * @throws Failure EXPORT_TOKEN_INVALID if it is missing, unknown, revoked, or belongs to another configuration, or
     *   if its creator may no longer read exports; TOKEN_EXPIRED
     */
    async admit(token: string | undefined, configId: string): Promise<TokenHolder> {
      if (!token) throw refused()
      const sha256 = hexDigest(token)
      const record = await tokens.findAnywhere(sha256)
      if (record === undefined || record.config_id !== configId) throw refused()
      const now = clock.now()
      if (record.expires_at <= now.toISOString())
        throw new Failure('gone', 'TOKEN_EXPIRED', 'This token has expired. Ask the firm for a new one.')
      if (!(await keys.hasScope(record.workspace_id, record.created_by, 'reports:read', now.toISOString())))
        throw refused()

      const anHourAgo = new Date(now.getTime() - touchMilliseconds).toISOString()
      if (record.last_used_at === null || record.last_used_at < anHourAgo)
        await tokens.touch(sha256, now.toISOString(), anHourAgo)
      return { workspace_id: record.workspace_id, config_id: record.config_id, token_id: record.id }
    },
  }
}

function refused(): Failure {
  return new Failure(
    'unauthenticated',
    'EXPORT_TOKEN_INVALID',
    'Send a valid token of this export as `token` in the query.',
  )
}
