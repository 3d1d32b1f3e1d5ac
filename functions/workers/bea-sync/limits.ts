/** How long a worker may synchronise: as long as a Lambda may run. The rest continues with another message. */
export const beaSyncSeconds = 900

export { missingLogLine } from '#bea/sync/log-lines.ts'
