import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A new secret of an endpoint: `whsec_` and 32 random bytes in base64 (E3). */
export function newWebhookSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

/** The key of a secret: made once, since that takes as long as a signature. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(prefix.length), 'base64')
}

/**
 * The headers that prove who sent a body and when (Standard Webhooks 1.0.0, E4).
 *
 * @param id the id of the event, which stays the same when it is sent again
 * @param at the time of this attempt. Receivers refuse one that is more than five minutes away.
 * @param keys the keys of the valid secrets: after a rotation the new one and, for a while, the old one. Each adds a
 *   signature.
 */
export function signatureHeaders(
  { id, at, body }: { id: string; at: Date; body: string },
  keys: readonly KeyObject[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signed = `${id}.${timestamp}.${body}`
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
