import * as z from 'zod'
import type { Actor } from '#kernel/actor.ts'
import { idFilter, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { pageQuery } from '#kernel/page.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'

/** The actions that the audit of a firm records (R7, R8). */
export const auditActions = [
  'key.created',
  'key.first_used',
  'key.refused',
  'key.revoked',
  'user.created',
  'user.updated',
  'settings.updated',
  'endpoint.created',
  'export.fetched',
  'token.created',
  'link.opened',
  'disposal.proposed',
  'disposal.approved',
  'disposal.withdrawn',
  'disposal.done',
  'party.erased',
] as const

export type AuditAction = (typeof auditActions)[number]

/** Who did it: a user with a key, the service or its operator, or somebody outside the firm. */
export const AuditActor = namedObject('FirmAuditActor', () => ({
  type: z.enum(['user', 'system', 'external']).meta({
    description:
      '`user`: a user; `system`: the service or its operator; `external`: the holder of a token or link, or the sender of a refused key.',
  }),
  id: shownId('user').nullable().meta({ description: 'The id of the user. Null for any other actor.' }),
  key_id: NullableText.meta({
    description: 'The id of the API key or token that was used.',
    pattern: '^[a-z_]+_[0-9a-f-]{36}$',
  }),
}))

export type AuditActor = z.infer<typeof AuditActor>

const AuditRef = z.lazy(() =>
  z
    .object({
      type: Text.meta({
        description: 'The kind of record: `api_key`, `user`, `workspace`, `export_config`, …',
      }),
      id: Text.meta({ description: 'Its id.' }),
    })
    .meta({ id: 'FirmAuditRef', description: 'The record that an entry is about.' }),
)

/** An entry of the audit of a firm. It has only the ids of records, and nothing of their contents. */
export const FirmAuditEntry = namedObject('FirmAuditEntry', () => ({
  id: shownId('auditEntry'),
  seq: z.int().meta({ description: 'Counts the entries of the firm from 1, without gaps.' }),
  at: Timestamp,
  actor: AuditActor,
  action: z.enum(auditActions).meta({ description: 'What was done.' }),
  ref: AuditRef,
  previous_hash: NullableText.meta({ description: 'The hash of the entry before. Null in the first entry.' }),
  hash: Text.meta({
    description:
      'SHA-256, lower-case hexadecimal, of the canonical JSON (RFC 8785) of the entry without `hash`.',
  }),
}))

export type FirmAuditEntry = z.infer<typeof FirmAuditEntry>

/** An entry before it is recorded: without id, number, time and hashes. */
export type AuditEvent = Pick<FirmAuditEntry, 'actor' | 'action' | 'ref'> & { workspace_id: string }

export const AuditQuery = lazyObject(() => ({
  ...pageQuery,
  after: Text.max(100)
    .optional()
    .meta({ description: 'The id of an entry. Only entries after it are returned.' }),
  actor: idFilter('user').optional().meta({ description: 'Only what this user did.' }),
  action: z.enum(auditActions).optional(),
}))

export type AuditQuery = z.infer<typeof AuditQuery>

/** The actor of a request: its user, or without a user the service (or its operator). */
export function auditActor(actor: Pick<Actor, 'workspace_id'> | Actor): AuditActor {
  return 'user_id' in actor
    ? { type: 'user', id: actor.user_id, key_id: actor.key_id }
    : { type: 'system', id: null, key_id: null }
}

/** An event of somebody outside the firm. @param key_id the token or the refused key that was used; null for a link */
export function externalEvent(
  workspace_id: string,
  action: AuditAction,
  ref: AuditEvent['ref'],
  key_id: string | null,
): AuditEvent {
  return { workspace_id, actor: { type: 'external', id: null, key_id }, action, ref }
}

/** An event of a user, or of the service or its operator. */
export function auditEvent(
  actor: Pick<Actor, 'workspace_id'> | Actor,
  action: AuditAction,
  type: string,
  id: string,
): AuditEvent {
  return { workspace_id: actor.workspace_id, actor: auditActor(actor), action, ref: { type, id } }
}
