/** How long a send may take: as long as a Lambda may run. The gateway takes up to 400 seconds for a call. */
export const beaSendSeconds = 900

/** The line that the worker logs (`packages/bea/sending/sending.ts`) if the outcome of a send is unknown. */
export const unknownLogLine = 'outcome of a beA send unknown'
