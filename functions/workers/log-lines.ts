/** The log lines that alarms count. */

export { unknownLogLine } from '#bea/sending/log-lines.ts'
export { lateLogLine, missingLogLine } from '#bea/sync/log-lines.ts'
export { unreadLogLine } from '#documents/log-lines.ts'
export { largeLogLine, unindexedLogLine } from '#text-search/log-lines.ts'
export { disabledLogLine } from '#webhooks/log-lines.ts'

/** The log line that is written as long as jobs are parked. */
export const parkedLogLine = 'jobs are parked'
