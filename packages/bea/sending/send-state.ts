import type { BeaDraft } from '../drafts/draft-schema.ts'

/** The states of a message to send (B7). */
export type SendState =
  /** It is being written. */
  | 'draft'
  /** Its send was accepted and waits for a worker. */
  | 'queued'
  /** A worker prepares it. It is certainly not sent, even if the worker dies. */
  | 'preparing'
  /** The worker stored this state right before the last call, which sends the message. */
  | 'confirming'
  /** The network accepted it. */
  | 'sent'
  /** It was certainly not sent. It may be changed and sent again. */
  | 'failed'
  /** It may be sent or not, so nobody sends it again. */
  | 'unknown'

export type SendEvent =
  /** Its content is changed. */
  | 'save'
  /** A person sends it. */
  | 'send'
  /** A worker claims it: the first one, or another one after the lease of the first has ended. */
  | 'claim'
  /** The worker is about to make the last call, which sends the message. */
  | 'last_step'
  /** The network answered that it accepted the message. */
  | 'accepted'
  /** Certainly nothing was sent. */
  | 'refused'
  /** Certainly nothing was sent, and the queue tries again. */
  | 'postponed'
  /** The answer to the last call is lost. */
  | 'lost'
  /** A search found the message (`reconcile.ts`). */
  | 'found'
  /** Searches showed that it was certainly not sent (`reconcile.ts`). */
  | 'absent'
  /** A person decided that it was sent. */
  | 'resolved_sent'
  /** A person decided that it was not sent. */
  | 'resolved_not_sent'

/** The next state for each state and event. An event that is not listed cannot happen, and changes nothing. */
export const sendTransitions: Readonly<Record<SendState, Partial<Record<SendEvent, SendState>>>> = {
  draft: { save: 'draft', send: 'queued' },
  queued: { claim: 'preparing', refused: 'failed' },
  preparing: { claim: 'preparing', last_step: 'confirming', refused: 'failed', postponed: 'queued' },
  // A worker that died after it stored `confirming` may have sent the message, so the next worker does not send it.
  // A second `last_step`: the network refused the call because the session had ended, and the same worker repeats the
  // call with a new session.
  confirming: {
    claim: 'unknown',
    last_step: 'confirming',
    accepted: 'sent',
    refused: 'failed',
    postponed: 'queued',
    lost: 'unknown',
  },
  // A worker whose lease has ended may still receive the network's answer.
  unknown: {
    accepted: 'sent',
    refused: 'failed',
    found: 'sent',
    absent: 'failed',
    resolved_sent: 'sent',
    resolved_not_sent: 'failed',
  },
  sent: {},
  // A late answer of the network overrides an earlier conclusion or decision.
  failed: { save: 'draft', send: 'queued', accepted: 'sent' },
}

/** The state after an event; undefined if the event cannot happen in this state. */
export function stateAfter(state: SendState, event: SendEvent): SendState | undefined {
  return sendTransitions[state][event]
}

export function shownStatus(state: SendState): BeaDraft['status'] {
  return state === 'queued' || state === 'preparing' || state === 'confirming' ? 'sending' : state
}
