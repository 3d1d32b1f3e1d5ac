/** How many seconds a worker may run. Its queue hides a message for longer. */
export const workerSeconds = {
  /** For one document. */
  extract: 300,
  /** For reading one mail, filing its attachments and judging it. */
  inbound: 120,
  /** As long as a Lambda may run. The gateway takes up to 400 seconds for a call. */
  beaSend: 900,
  /** For one envelope. */
  seal: 300,
  /** As long as a Lambda may run. The rest continues with another message. */
  beaSync: 900,
  /** As long as a Lambda may run. */
  exportRuns: 900,
  /** For one run for an index. */
  searchIndex: 300,
  /** It begins no request after 20 seconds, and a request takes up to 15. */
  deliveries: 60,
} as const
