import { timingSafeEqual } from 'node:crypto'
import { auditEvent, externalEvent } from '#audit/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { KeyStore } from './ports.ts'

const pattern = /^Bearer +(ak_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([A-Za-z0-9_-]{43})$/i

/** The shortest time between two writes of `last_used_at` (G12), and between two recorded refusals of a key (R7). */
const touchMilliseconds = 60 * 60 * 1_000

/**
 * Finds the caller by the `Authorization` header. It reads the key by its id, and compares the secret in constant time.
 * Missing, malformed, unknown, expired and revoked keys, and keys of deactivated users, all get the same answer.
 *
 * @throws Failure 401 AUTH_INVALID_KEY
 */
export function authenticator(deps: {
  keys: Pick<KeyStore, 'findAnywhere' | 'touch' | 'noteRefusal'>
  clock: Clock
}) {
  const { keys, clock } = deps
  return async (authorization: string | undefined): Promise<Actor> => {
    const [, id, secret] = pattern.exec(authorization ?? '') ?? []
    if (id === undefined || secret === undefined) throw refused()

    const key = await keys.findAnywhere(id.toLowerCase())
    const isGenuine = timingSafeEqual(
      Buffer.from(hashSecret(secret)),
      Buffer.from(key?.secret_hash ?? hashSecret('')),
    )
    if (key === undefined) throw refused()
    const { workspace_id, user_id, user_name, scopes } = key
    const actor = { workspace_id, user_id, user_name, key_id: key.id, scopes }
    const time = clock.now()
    const now = time.toISOString()
    const anHourAgo = new Date(time.getTime() - touchMilliseconds).toISOString()
    const isExpired = key.expires_at !== null && key.expires_at <= now
    if (!isGenuine || key.revoked_at !== null || !key.user_active || isExpired) {
      // At most once an hour: otherwise anybody who knows the id of a key could fill the audit.
      if (key.refused_at === null || key.refused_at < anHourAgo) {
        const refusal = externalEvent(workspace_id, 'key.refused', { type: 'api_key', id: key.id }, key.id)
        await keys.noteRefusal(key, now, anHourAgo, refusal)
      }
      throw refused()
    }
    if (key.last_used_at === null || key.last_used_at < anHourAgo)
      await keys.touch(key, now, anHourAgo, auditEvent(actor, 'key.first_used', 'api_key', key.id))
    return actor
  }
}

/** The stored form of a secret. A secret has 256 random bits, so guessing cannot reverse a plain hash. */
export function hashSecret(secret: string): string {
  return hexDigest(secret)
}

function refused(): Failure {
  return new Failure(
    'unauthenticated',
    'AUTH_INVALID_KEY',
    'Send a valid API key as `Authorization: Bearer <key>`.',
  )
}
