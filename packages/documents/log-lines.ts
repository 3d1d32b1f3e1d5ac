/**
 * The line that the sweeper logs every minute. `minutes` is how long the oldest unread document has waited. An alarm
 * reads it.
 */
export const unreadLogLine = 'documents wait to be read'
