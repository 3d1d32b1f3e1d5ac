import type { Dispatch } from '../endpoint-ports.ts'
import { nextDeliveryAt } from './attempts.ts'

/**
 * An endpoint that hangs keeps its worker busy for the time limit of a request. So nothing is sent to it for a while:
 * about five seconds after the first timeout, about five minutes after others. Then it gets one request at a time until
 * as many requests have ended in time as timeouts are counted. So a firm with many such endpoints does not keep all
 * workers busy (E7).
 */
type Hanging = Pick<Dispatch, 'timeouts' | 'quiet_until'>

/** The highest number of timeouts that is counted. Each answer takes one off; at none the endpoint is normal again. */
const maxTimeouts = 2

/** Notes that a request has timed out. */
export function noteTimeout(state: Hanging, now: Date): void {
  state.timeouts = Math.min((state.timeouts ?? 0) + 1, maxTimeouts)
  state.quiet_until = nextDeliveryAt(now, state.timeouts)?.toISOString() ?? null
}

/** Notes that a request to an endpoint that hung has ended in time: with an answer, or with a failed connection. */
export function noteAnswer(state: Hanging): void {
  state.quiet_until = null
  state.timeouts = state.timeouts !== null && state.timeouts > 1 ? state.timeouts - 1 : null
}

/** Forgets the timeouts of an endpoint that got another address: they say nothing about the new one. */
export function forgetTimeouts(state: Hanging): void {
  state.timeouts = null
  state.quiet_until = null
}

/** Whether nothing may be sent to the endpoint now. */
export function isQuiet({ quiet_until }: Pick<Hanging, 'quiet_until'>, now: Date): boolean {
  return quiet_until !== null && Date.parse(quiet_until) > now.getTime()
}
