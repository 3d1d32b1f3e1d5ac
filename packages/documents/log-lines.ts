/**
 * The line that the sweeper logs every minute, for an alarm. `minutes` is how long the oldest unread document has
 * waited.
 */
export const unreadLogLine = 'documents wait to be read'
