/** How long one run for an index may take. */
export const searchIndexSeconds = 300

export { unindexedLogLine } from '#text-search/log-lines.ts'
