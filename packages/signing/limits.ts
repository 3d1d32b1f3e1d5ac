/** An envelope has at most so many documents, and these together at most so many bytes (S1). */
export const maxDocuments = 20
export const maxDocumentBytes = 50 * 1024 * 1024

/** An envelope has at most so many signers, `cc` included (S1). */
export const maxSigners = 50

/** When an envelope expires if nobody says otherwise, and at the latest, in days after it was sent (S3). */
export const defaultExpiryDays = 30
export const maxExpiryDays = 365

/** How long the links show the sealed copies after the completion, in days (S5). */
export const copiesDays = 30

/** Wrong access codes after which a link is locked (S4). */
export const maxCodeAttempts = 5

/** The largest drawn signature, in bytes of the PNG (S6). */
export const maxSignatureBytes = 200 * 1024
