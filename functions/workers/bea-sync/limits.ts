/** How long a worker may synchronise: as long as a Lambda may run. What takes longer goes on with another message. */
export const beaSyncSeconds = 900

export { missingLogMessage } from '#bea/log-messages.ts'
