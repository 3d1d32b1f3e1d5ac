/**
 * The line that the sweeper logs every minute, for an alarm. `minutes` is how long the oldest text has waited,
 * `workspace_id` its firm.
 */
export const unindexedLogLine = 'texts wait to be indexed'
