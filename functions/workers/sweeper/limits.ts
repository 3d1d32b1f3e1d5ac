export { lateLogMessage } from '#bea/sync/log-lines.ts'
export { unreadLogMessage } from '#documents/log-messages.ts'

/** The log line that is written as long as jobs are parked. An alarm looks for it. */
export const parkedLogMessage = 'jobs are parked'
