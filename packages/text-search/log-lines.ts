/**
 * The line that the sweeper logs every minute, for an alarm. `minutes` is how long the oldest text has waited,
 * `workspace_id` its firm.
 */
export const unindexedLogLine = 'texts wait to be indexed'

/** The line that the worker logs, for an alarm, while the index of a firm is large. `bytes` is the size of its segments. */
export const largeLogLine = 'a search index is large'
