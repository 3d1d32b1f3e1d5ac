export const envelopeStatuses = [
  'draft',
  'sent',
  'in_progress',
  'completed',
  'declined',
  'expired',
  'voided',
] as const

/**
 * Why an envelope that everybody has signed is not completed. It is completed once the cause is fixed.
 *
 * - `bytes_missing`, `bytes_damaged`: bytes of a document or of a drawn signature are gone, or have changed since the
 *   signature. A person must restore them.
 * - `sealing_failed`: all attempts of the first 45 minutes failed. The log of the worker has the cause.
 */
export const statusReasons = ['bytes_missing', 'bytes_damaged', 'sealing_failed'] as const

export type StatusReason = (typeof statusReasons)[number]

export type EnvelopeStatus = (typeof envelopeStatuses)[number]

/** The statuses of an envelope that was sent and has not ended, in the order in which it has them. */
export const runningStatuses: readonly EnvelopeStatus[] = ['sent', 'in_progress']

export function isRunning(status: EnvelopeStatus): boolean {
  return runningStatuses.includes(status)
}

export const signingOrders = ['parallel', 'sequential'] as const

/** `signer`: signs. `approver`: agrees and draws no signature. `cc`: only gets the sealed copies (S2). */
export const signerRoles = ['signer', 'approver', 'cc'] as const

export type SignerRole = (typeof signerRoles)[number]
