import type { AuditEvent } from '#audit/schema.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import type { Scope } from '#kernel/scope.ts'
import type { Change, Changing, Removal } from '#timeline/schema.ts'
import type { SourceFilters } from './ports.ts'
import type { ScheduledConfig } from './run-ports.ts'
import type { ExportColumn, ExportConfig, ExportToken } from './schema.ts'

/** A configuration as it is stored. `version` counts its changes and executions. */
export type ExportConfigRecord = Omit<ExportConfig, 'columns' | 'filters'> &
  ScheduledConfig & {
    filters: SourceFilters
    /** Null: all fields of the source. */
    columns: ExportColumn[] | null
    version: number
  }

/** Configurations of exports. A deleted one stays for the audit (G13). */
export type ExportConfigStore = {
  /** The configuration of this workspace. Undefined if it does not exist or was deleted. */
  find: (workspaceId: string, id: string) => Promise<ExportConfigRecord | undefined>
  /** Newest first. */
  page: (workspaceId: string, request: PageRequest) => Promise<Page<ExportConfigRecord>>
  add: <Answer>(change: Change<ExportConfigRecord, Answer>) => Promise<Answered<Answer>>
  /**
   * Writes the result of `decide`. Reads and decides again if the configuration was changed or executed in between.
   *
   * @throws Failure CONFIG_NOT_FOUND, and what `decide` throws
   */
  change: Changing<ExportConfigRecord>['change']
  /**
   * Deletes the configuration and enqueues the jobs that follow. @throws Failure CONFIG_NOT_FOUND, and what `decide`
   * throws
   */
  remove: <Answer>(
    workspaceId: string,
    id: string,
    decide: (current: ExportConfigRecord) => Removal<Answer>,
  ) => Promise<Answered<Answer>>
  /**
   * Records the time of an execution, unless a later time is recorded already or the configuration was deleted. Never
   * fails.
   */
  touch: (workspaceId: string, id: string, at: string) => Promise<void>
}

/** A token as it is stored. Its key is the digest, because a request with a token contains nothing else. */
export type ExportTokenRecord = ExportToken & {
  token_sha256: string
  workspace_id: string
  config_id: string
}

/** The rights of the users who created tokens. */
export type ExportTokenKeys = {
  /** Whether a user is active and has a key with this scope that is valid at the time `at`. */
  hasScope: (workspaceId: string, userId: string, scope: Scope, at: string) => Promise<boolean>
}

export type ExportTokenStore = {
  /** The token with this digest in any workspace, by one strongly consistent read; undefined if revoked. */
  findAnywhere: (sha256: string) => Promise<ExportTokenRecord | undefined>
  /** The tokens of a configuration that are not revoked, newest first. */
  page: (workspaceId: string, configId: string, request: PageRequest) => Promise<Page<ExportTokenRecord>>
  /** Adds a token. @throws Failure CONFIG_NOT_FOUND if the configuration does not exist or was deleted meanwhile */
  add: <Answer>(change: Change<ExportTokenRecord, Answer>) => Promise<Answered<Answer>>
  /** Revokes a token: the next request with it is refused. @throws Failure EXPORT_TOKEN_NOT_FOUND */
  revoke: (workspaceId: string, configId: string, id: string, at: string) => Promise<void>
  /** Records when a token was used, unless a time after `unlessAfter` is recorded already. Never fails. */
  touch: (sha256: string, at: string, unlessAfter: string) => Promise<void>
}

/** The part of the firm's audit that exports use (R7). */
export type ExportAudit = {
  /** Records that an export was fetched. The record is durable when this resolves. */
  record: (event: AuditEvent) => Promise<void>
}
