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
 * - `sealing_failed`: 45 minutes of attempts failed. The log of the worker names the reason.
 */
export const statusReasons = ['bytes_missing', 'bytes_damaged', 'sealing_failed'] as const

export type StatusReason = (typeof statusReasons)[number]

export type EnvelopeStatus = (typeof envelopeStatuses)[number]

export const signingOrders = ['parallel', 'sequential'] as const

/** A signer signs, an approver agrees and draws nothing, a `cc` does nothing and gets the sealed copy (S2). */
export const signerRoles = ['signer', 'approver', 'cc'] as const

export type SignerRole = (typeof signerRoles)[number]
