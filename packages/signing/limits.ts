/** The maximum number of documents of an envelope, and their maximum total size (S1). */
export const maxDocuments = 20
export const maxTotalDocumentBytes = 50 * 1024 * 1024

/** The maximum number of signers of an envelope, including `cc` (S1). */
export const maxSigners = 50

export const dayMilliseconds = 24 * 60 * 60 * 1_000

/** The default and the maximum time until an envelope expires, in days after it was sent (S3). */
export const defaultExpiryDays = 30
export const maxExpiryDays = 365

/** How long links show the sealed copies, in days after the completion (S5). */
export const copiesDays = 30

/** The number of wrong access codes that locks a link (S4). */
export const maxCodeAttempts = 5

/** The maximum size of the PNG of a drawn signature (S6). */
export const maxSignatureBytes = 200 * 1024
