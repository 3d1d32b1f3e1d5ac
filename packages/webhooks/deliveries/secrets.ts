import type { KeyObject } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import type { SecretBox, SecretContext } from '#kernel/secret-box.ts'
import type { EndpointRecord } from '../endpoint-ports.ts'
import { signingKey } from './signature.ts'

/**
 * The keys of the secrets with which deliveries to an endpoint are signed now: the valid one, and the one before it for
 * a while.
 */
export type SigningSecrets = (endpoint: EndpointRecord) => Promise<KeyObject[]>

/** The context to which a sealed secret of an endpoint is bound. */
export function secretContext({
  workspace_id,
  id,
}: Pick<EndpointRecord, 'workspace_id' | 'id'>): SecretContext {
  return { purpose: 'webhooks', workspace_id, account_id: id, kind: 'signing' }
}

/** The number of opened secrets that a process remembers: without this, KMS would be asked for every delivery. */
const maxRemembered = 500

export function signingSecrets(deps: { secrets: Pick<SecretBox, 'open'>; clock: Clock }): SigningSecrets {
  const { secrets, clock } = deps
  const opened = new Map<string, Promise<KeyObject>>()

  const open = (endpoint: EndpointRecord, sealed: string): Promise<KeyObject> => {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const [oldest] = opened.keys()
    if (opened.size >= maxRemembered && oldest !== undefined) opened.delete(oldest)
    const opening = secrets.open(sealed, secretContext(endpoint)).then(signingKey)
    opened.set(sealed, opening)
    opening.catch(() => opened.delete(sealed))
    return opening
  }

  return (endpoint) => {
    const { sealed_secret, sealed_old_secret, old_secret_until } = endpoint
    const isOldValid = old_secret_until !== null && Date.parse(old_secret_until) > clock.now().getTime()
    const valid = [sealed_secret, ...(isOldValid && sealed_old_secret !== null ? [sealed_old_secret] : [])]
    return Promise.all(valid.map((sealed) => open(endpoint, sealed)))
  }
}
