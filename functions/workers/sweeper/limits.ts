export { lateLogLine } from '#bea/sync/log-lines.ts'
export { unreadLogLine } from '#documents/log-lines.ts'

/** The log line that is written as long as jobs are parked. An alarm looks for it. */
export const parkedLogLine = 'jobs are parked'
