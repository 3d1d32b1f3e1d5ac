import { entity, number, oneOf, optionalNumber, optionalText, recordKey, text } from '../entity.ts'

/** The session of a login account, and the lease of whoever uses it (B3). Both may be absent. */
export const beaSessionEntity = entity('beasession', recordKey('${workspace_id}#bea_session#${account_id}'), {
  workspace_id: text,
  account_id: text,
  sealed: optionalText,
  since: optionalText,
  last_used_at: optionalText,
  holder: optionalText,
  /** Until when the holder has the lease, in milliseconds since 1970. */
  leased_until: optionalNumber,
  /** Until when somebody waits for the lease whom a synchronisation lets go first, in milliseconds since 1970. */
  wanted_until: optionalNumber,
  /** Epoch seconds. */
  ttl: number,
})

/** A login with a card, as far as it has come (B4). */
export const beaLoginEntity = entity('bealogin', recordKey('${workspace_id}#bea_login#${id}'), {
  workspace_id: text,
  id: text,
  account_id: text,
  user_id: text,
  step: oneOf(['sign', 'decrypt']),
  sealed: text,
  expires_at: text,
  /** Epoch seconds. */
  ttl: number,
})
