/** The line of the log that says that an endpoint was disabled; its alarm counts it. */
export const disabledLogLine = 'a webhook endpoint was disabled'
