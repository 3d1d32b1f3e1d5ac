export { lateLogMessage } from '#bea/log-messages.ts'
