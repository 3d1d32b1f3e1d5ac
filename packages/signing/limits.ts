/** The most documents of an envelope, and the most bytes of all of them together (S1). */
export const maxDocuments = 20
export const maxDocumentBytes = 50 * 1024 * 1024

/** The most signers of an envelope, `cc` included (S1). */
export const maxSigners = 50

export const dayMilliseconds = 24 * 60 * 60 * 1_000

/** The default and the latest expiry of an envelope, in days after it was sent (S3). */
export const defaultExpiryDays = 30
export const maxExpiryDays = 365

/** How long the links show the sealed copies after the completion, in days (S5). */
export const copiesDays = 30

/** Wrong access codes after which a link is locked (S4). */
export const maxCodeAttempts = 5

/** The largest drawn signature, in bytes of the PNG (S6). */
export const maxSignatureBytes = 200 * 1024
