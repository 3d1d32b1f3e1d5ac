import type { DeliveryRecord, DeliveryStore, EndpointKey, Waiting } from '../endpoint-ports.ts'

/** The outcome of an attempt, as it is recorded. */
export type Recorded = { delivery?: DeliveryRecord; next?: Waiting; done?: Waiting }

/** With this many outcomes a write begins without waiting: DynamoDB takes 25 items in a batch. */
const outcomesAtOnce = 25

/** Outcomes of a quick endpoint gather for this time. If the worker dies meanwhile, their events are sent again. */
const gatherMilliseconds = 25

/**
 * Records the outcomes of attempts. It gathers them for some milliseconds and writes them together: a write with many
 * outcomes takes hardly longer than a write with one. While one write is under way, others gather for the next.
 */
export function recording(deliveries: Pick<DeliveryStore, 'save'>, key: EndpointKey) {
  let gathered: Recorded[] = []
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let fault: unknown

  const write = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const outcomes = gathered
    gathered = []
    try {
      await deliveries.save(key, {
        deliveries: outcomes.flatMap(({ delivery }) => delivery ?? []),
        waiting: outcomes.flatMap(({ next }) => next ?? []),
        gone: outcomes.flatMap(({ done }) => done ?? []),
      })
    } catch (error) {
      fault ??= error
    } finally {
      writing = undefined
    }
    if (gathered.length > 0) beginSoon()
  }

  const begin = (): void => {
    if (gathered.length > 0) writing ??= write()
  }

  const beginSoon = (): void => {
    if (gathered.length >= outcomesAtOnce) begin()
    else
      timer ??= setTimeout(() => {
        timer = undefined
        begin()
      }, gatherMilliseconds)
  }

  return {
    record: (outcome: Recorded): void => {
      gathered.push(outcome)
      beginSoon()
    },

    /** Resolves when everything is written. @throws if something could not be: it is sent again later */
    written: async (): Promise<void> => {
      for (begin(); writing !== undefined; begin()) await writing
      if (fault !== undefined) throw fault
    },
  }
}
