import { invalid } from '#kernel/failure.ts'
import { dayMilliseconds, defaultExpiryDays, maxExpiryDays } from '../limits.ts'

/** When an envelope without an expiry of its own expires: 30 days after it was sent (S3). */
export function defaultExpiry(sentAt: Date): string {
  return new Date(sentAt.getTime() + defaultExpiryDays * dayMilliseconds).toISOString()
}

/**
 * Refuses a time that has passed or is more than 365 days after sending (S3). For a draft, `sentAt` is now.
 *
 * @throws Failure VALIDATION_ERROR
 */
export function requireExpiry(expiresAt: string, { now, sentAt }: { now: Date; sentAt: Date }): void {
  const at = Date.parse(expiresAt)
  const refuse = (message: string) =>
    invalid('`expires_at` is out of range.', [{ path: 'body.expires_at', message }])
  if (at <= now.getTime()) throw refuse('This must be in the future.')
  if (at > sentAt.getTime() + maxExpiryDays * dayMilliseconds)
    throw refuse(`At most ${maxExpiryDays} days after the envelope is sent.`)
}
