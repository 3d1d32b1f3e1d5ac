import { entity, number, oneOf, optional, recordKey, text } from '../entity.ts'

/** The session of a login account, and the lease of whoever uses it (B3). Both may be absent. */
export const beaSessionEntity = entity('beasession', recordKey('${workspace_id}#bea_session#${account_id}'), {
  sealed: optional(text),
  since: optional(text),
  last_used_at: optional(text),
  holder: optional(text),
  /** Until when the holder has the lease, in milliseconds since 1970. */
  leased_until: optional(number),
  /** Until when somebody waits for the lease whom a synchronisation lets go first, in milliseconds since 1970. */
  wanted_until: optional(number),
  ttl: number,
})

/** A login with a card, as far as it has come (B4). */
export const beaLoginEntity = entity('bealogin', recordKey('${workspace_id}#bea_login#${id}'), {
  account_id: text,
  user_id: text,
  step: oneOf(['sign', 'decrypt']),
  sealed: text,
  expires_at: text,
  ttl: number,
})
