import { workerSeconds } from './workers/time-limits.ts'

/** How a queue delivers its messages. */
export type QueueSettings = {
  visibilitySeconds: number
  maxReceives: number
  /** An alarm goes off if a message waits longer than this; an hour if omitted. */
  longestWaitSeconds?: number
}

/** The queues of a release, by their names. */
export type Queues = Readonly<Record<string, QueueSettings>>

/** The queues, by the name in the definitions of messages. */
export const queues = {
  extract: {
    /** A received message is hidden from other receivers for this long: six times the time limit of its worker. */
    visibilitySeconds: 6 * workerSeconds.extract,
    /** After this many receptions without success, a message goes to the dead-letter queue. */
    maxReceives: 5,
  },
  /** Arrivals: mails to read, then mails, beA messages and documents for the triage. */
  inbound: { visibilitySeconds: 6 * workerSeconds.inbound, maxReceives: 5 },
  /** SES's reports about mails: sent, delivered, bounced and so on. On AWS, SES publishes them through SNS. */
  'mail-events': { visibilitySeconds: 180, maxReceives: 5 },
  /**
   * SES's receipts for messages that it received; each message is in the bucket. With ten receptions they are tried
   * for more than an hour.
   */
  'received-mails': { visibilitySeconds: 6 * 60, maxReceives: 10 },
  /** beA messages to send, to search for if their outcome is unknown, and to import once they are sent. */
  'bea-send': { visibilitySeconds: 6 * workerSeconds.beaSend, maxReceives: 5 },
  /** Envelopes that everybody has signed. */
  seal: { visibilitySeconds: 6 * workerSeconds.seal, maxReceives: 5 },
  /**
   * beA postboxes to synchronise. If another worker has claimed the account, the message waits for it: with this
   * number of receptions for more than an hour.
   */
  'bea-sync': { visibilitySeconds: 6 * workerSeconds.beaSync, maxReceives: 10 },
  /** Runs of scheduled exports, and reports on parties. */
  'export-runs': { visibilitySeconds: 6 * workerSeconds.exportRuns, maxReceives: 5 },
  /**
   * Mails of envelopes, and notices about webhooks. If SES gave no answer to a mail, the mail counts as lost after ten
   * minutes (M5); the sixth reception is later than that and records it. With eight receptions, a mail that SES refuses
   * is retried for almost an hour.
   */
  'signing-mails': { visibilitySeconds: 6 * 60, maxReceives: 8 },
  /** Firms whose texts have changed. */
  'search-index': { visibilitySeconds: 6 * workerSeconds.searchIndex, maxReceives: 5 },
  /** Events to send to the endpoints of firms. A lost message delays them until the sweep reads the log. */
  deliveries: { visibilitySeconds: 6 * workerSeconds.deliveries, maxReceives: 5, longestWaitSeconds: 600 },
} as const

export type QueueName = keyof typeof queues
