/**
 * The line that the sweeper logs every minute, for an alarm. It names the unread document that has waited longest, and
 * `minutes` says how long.
 */
export const unreadLogLine = 'documents wait to be read'
