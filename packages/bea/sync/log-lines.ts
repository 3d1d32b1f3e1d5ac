/** The line of the log that says that a message is not imported; its alarm counts it. */
export const missingLogLine = 'a beA message is not imported and would be lost'

/** The line of the log that says that messages may be waiting; its alarm counts it. */
export const lateLogLine = 'a beA account is not synchronised for a day'
