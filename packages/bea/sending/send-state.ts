import type { BeaDraft } from '../drafts/draft-schema.ts'

/**
 * The states of a message to send (B7).
 *
 * - `draft`: it is being written.
 * - `queued`: its send is accepted and waits for a worker.
 * - `preparing`: a worker prepares it. It is certainly not sent, whatever happens to the worker.
 * - `confirming`: stored right before the call after which it counts as sent.
 * - `sent`: the network accepted it.
 * - `failed`: it was certainly not sent. It may be changed and sent again.
 * - `unknown`: it may be sent or not. Nobody sends it again on a guess.
 */
export type SendState = 'draft' | 'queued' | 'preparing' | 'confirming' | 'sent' | 'failed' | 'unknown'

/**
 * The events of a send.
 *
 * - `save`: its content is changed.
 * - `send`: a person sends it.
 * - `claim`: a worker claims it: the first one, or the next one after the lease of the first has ended.
 * - `last_step`: the worker is about to make the call after which it counts as sent.
 * - `accepted`: the network answered that it accepted the message.
 * - `refused`: it is certain that nothing was sent.
 * - `postponed`: nothing was sent, and the queue tries again.
 * - `lost`: the answer to the last call is lost.
 * - `found`, `absent`: a search found the message, or that it was certainly not sent (`reconcile.ts`).
 * - `resolved_sent`, `resolved_not_sent`: a person decided.
 */
export type SendEvent =
  | 'save'
  | 'send'
  | 'claim'
  | 'last_step'
  | 'accepted'
  | 'refused'
  | 'postponed'
  | 'lost'
  | 'found'
  | 'absent'
  | 'resolved_sent'
  | 'resolved_not_sent'

/** The next state for each state and event. An event that is not listed cannot happen, and changes nothing. */
export const sendTransitions: Readonly<Record<SendState, Partial<Record<SendEvent, SendState>>>> = {
  draft: { save: 'draft', send: 'queued' },
  queued: { claim: 'preparing', refused: 'failed' },
  preparing: { claim: 'preparing', last_step: 'confirming', refused: 'failed', postponed: 'queued' },
  // A worker that died after it stored `confirming` may have sent the message: the next worker does not send it.
  // `last_step` again: the network certainly refused the call, the session was renewed, and the same worker repeats the
  // call.
  confirming: {
    claim: 'unknown',
    last_step: 'confirming',
    accepted: 'sent',
    refused: 'failed',
    postponed: 'queued',
    lost: 'unknown',
  },
  // The worker whose lease ended may still receive the network's answer.
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

/** The status that is shown. */
export function shownStatus(state: SendState): BeaDraft['status'] {
  return state === 'queued' || state === 'preparing' || state === 'confirming' ? 'sending' : state
}
