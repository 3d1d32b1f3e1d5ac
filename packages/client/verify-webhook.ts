export type WebhookPayload = { type: string; timestamp: string; data: unknown }

/** How far the time of a message may be from now, in both directions. */
const webhookToleranceSeconds = 300

/** A message to a webhook that does not come from the service, or not at this time. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
  }
}

/**
 * The event of a message that the service has sent to your webhook, after its signature is verified (Standard Webhooks
 * 1.0.0). Act on an event once: `webhook-id` is the same in every repetition.
 *
 * @param body the body as it came, byte for byte: a parsed and printed one has another signature
 * @param headers of the request; capital letters do not matter
 * @param secret `whsec_…`, as it was shown when the endpoint was created; several while one is being replaced
 * @param now the present time, in milliseconds since 1970
 * @throws WebhookVerificationError if a header is missing, no signature fits, or the time of the message is more than
 *   five minutes away
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secret: string | readonly string[],
  now: number = Date.now(),
): Promise<WebhookPayload> {
  const id = webhookHeader(headers, 'webhook-id')
  const timestamp = webhookHeader(headers, 'webhook-timestamp')
  const signatures = webhookHeader(headers, 'webhook-signature')
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > webhookToleranceSeconds)
    throw new WebhookVerificationError('The time of the message is more than five minutes away.')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...bytes])
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [fromBase64(one.slice(3))] : []))
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const bytesOfSecret = fromBase64(one.replace(/^whsec_/, ''))
    if (bytesOfSecret === undefined || bytesOfSecret.length === 0)
      throw new TypeError('The secret is not one: `whsec_…`.')
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', bytesOfSecret, algorithm, false, ['verify'])
    for (const signature of given)
      if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookPayload
  }
  throw new WebhookVerificationError('No signature of the message fits.')
}

function webhookHeader(headers: Parameters<typeof verifyWebhook>[1], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError(`The message has no header \`${name}\`.`)
  return value
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
