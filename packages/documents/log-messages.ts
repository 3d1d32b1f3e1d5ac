/** The line of the sweeper's log for a document that waits for its text for too long. An alarm looks for it. */
export const unreadLogMessage = 'a document waits to be read'
