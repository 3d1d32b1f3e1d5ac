/**
 * The line of the sweeper's log, every minute, with how many `minutes` the oldest document has waited that is still to be
 * read. An alarm reads it.
 */
export const unreadLogMessage = 'documents wait to be read'
