/**
 * The line that the sweeper logs every minute. `minutes` is how long the oldest text waits to be indexed. An alarm reads
 * it.
 */
export const unindexedLogLine = 'texts wait to be indexed'
