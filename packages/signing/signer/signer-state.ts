import { copiesUntil, statusAt, whoseTurn } from '../envelopes/envelope-states.ts'
import { maxCodeAttempts } from '../limits.ts'
import type { EnvelopeRecord, SignerRecord } from '../ports.ts'

/**
 * The state of the envelope for one of its signers:
 *
 * - `unopened`: may open the documents, or decline. `open`: has opened them and may sign or decline.
 * - `waiting`: others sign first. `signed`: has signed. `watching`: is `cc` and has nothing to do.
 * - `completed`: may fetch the sealed copies. `over`: the time for fetching them has passed (S5).
 * - `declined`, `voided`, `expired`: the envelope ended without sealed copies.
 */
export type SignerState =
  | 'unopened'
  | 'open'
  | 'waiting'
  | 'signed'
  | 'watching'
  | 'completed'
  | 'over'
  | 'declined'
  | 'voided'
  | 'expired'

export function signerState(envelope: EnvelopeRecord, signer: SignerRecord, now: Date): SignerState {
  const status = statusAt(envelope, now)
  if (status === 'completed') return (copiesUntil(envelope) ?? now) > now ? 'completed' : 'over'
  if (status === 'declined' || status === 'voided' || status === 'expired') return status
  if (signer.role === 'cc') return 'watching'
  if (signer.status === 'signed') return 'signed'
  if (status === 'draft' || !whoseTurn(envelope).some(({ id }) => id === signer.id)) return 'waiting'
  return signer.opened_at === null ? 'unopened' : 'open'
}

/** Whether the link shows nothing any more: no sealed copies, and nothing to sign (S5). */
export function isLinkEnded(state: SignerState): boolean {
  return ['over', 'declined', 'voided', 'expired'].includes(state)
}

/** Whether the link is locked after too many wrong codes (S4). */
export function isLocked({ access_code_hash, code_attempts }: SignerRecord): boolean {
  return access_code_hash !== null && code_attempts >= maxCodeAttempts
}
