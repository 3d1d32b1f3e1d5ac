/** The log line about a message that was not imported. An alarm counts these lines. */
export const missingLogLine = 'a beA message is not imported and would be lost'

/** The log line about an account whose messages may be waiting. An alarm counts these lines. */
export const lateLogLine = 'a beA account is not synchronised for a day'
