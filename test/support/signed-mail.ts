import { createHmac, randomBytes } from 'node:crypto'
import { systemClock } from '#kernel/clock.ts'
import { sharedService } from './the-shared-service.ts'

export type Signature = Record<'timestamp' | 'token' | 'signature', string>

/**
 * The fields with which the mail service signs a call; by default now, with a new token and the shared service's key.
 */
export function signMail({
  at = systemClock.now(),
  token = randomBytes(25).toString('hex'),
  key = sharedService().credentials.mail_signing_key,
}: {
  at?: Date
  token?: string
  key?: string
} = {}): Signature {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  return {
    timestamp,
    token,
    signature: createHmac('sha256', key)
      .update(timestamp + token)
      .digest('hex'),
  }
}
