/** How long one run for an index may take. */
export const searchIndexSeconds = 300

export { largeLogLine, unindexedLogLine } from '#text-search/log-lines.ts'
