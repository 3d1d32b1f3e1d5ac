import { idPrefixes } from '#kernel/id.ts'
import type { Arrival } from './arrival-schema.ts'

/**
 * Processes a record that arrived, as far as is possible now. It may be called twice, late, and in any order.
 * `receptions`: how often its message was received, including this time.
 */
type ProcessArrival = (arrival: Arrival, signal: AbortSignal, receptions: number) => Promise<void>

/**
 * Returns the function that processes arrivals of all kinds.
 *
 * @param kinds the function for each kind of record; it throws if the queue should deliver the message again
 */
export function arrivalProcessing(kinds: {
  mail: ProcessArrival
  document: ProcessArrival
  bea: ProcessArrival
}): ProcessArrival {
  return async (arrival, signal, receptions) => {
    if (arrival.id.startsWith(idPrefixes.correspondence)) return kinds.mail(arrival, signal, receptions)
    if (arrival.id.startsWith(idPrefixes.document)) return kinds.document(arrival, signal, receptions)
    if (arrival.id.startsWith(idPrefixes.beaMessage)) return kinds.bea(arrival, signal, receptions)
    throw new Error(`${arrival.id} is not the id of a mail, document or beA message.`)
  }
}
