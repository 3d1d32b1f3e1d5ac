/** The log line about a message that is not imported; an alarm counts it. */
export const missingLogLine = 'a beA message is not imported and would be lost'

/** The log line about messages that may be waiting; an alarm counts it. */
export const lateLogLine = 'a beA account is not synchronised for a day'
