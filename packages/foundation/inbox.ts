import { processArrivals } from '#inbox/arrival-schema.ts'
import type { Base } from './foundation.ts'
import { handOver } from './hand-over.ts'

/**
 * Arrivals, for every function that receives mail or reads documents: their job, and the queue of the worker `inbound`.
 */
export function inboxFoundation(base: Pick<Base, 'jobs'>) {
  return { send: handOver(base, processArrivals) }
}
