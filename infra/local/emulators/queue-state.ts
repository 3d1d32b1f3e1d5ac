/** The ending of the names of dead-letter queues. */
export const failedQueueSuffix = '-failed'

/** The messages of all queues of this run. */
export type QueueState = {
  /** How many can be received now. */
  ready: number
  /** When each hidden message can be received, in epoch milliseconds. Messages with a handle were received before. */
  hidden: { until: number; receiptHandle?: string }[]
}
