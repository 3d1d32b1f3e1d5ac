/** The log line about a send whose outcome is unknown. An alarm counts these lines. */
export const unknownLogLine = 'outcome of a beA send unknown'
