import type { Actor } from '#kernel/actor.ts'
import type { SignerRecord } from '../ports.ts'
import type { AuditEntry } from '../schema.ts'

type AuditActor = AuditEntry['actor']

/** A user of the office, with the API key that was used. */
export function userActor({ user_id, user_name, key_id }: Actor): AuditActor {
  return { type: 'user', id: user_id, name: user_name, key_id }
}

/** A signer, with the IP address and the browser of the request (S8). */
export function signerActor(
  { id, name }: Pick<SignerRecord, 'id' | 'name'>,
  { ip, userAgent = '' }: { ip: string; userAgent: string | undefined },
): AuditActor {
  return { type: 'signer', id, name, ip, user_agent: userAgent }
}

/** The service itself, for timed work. */
export const serviceActor: AuditActor = { type: 'system', id: null, name: 'Aktenlage' }
