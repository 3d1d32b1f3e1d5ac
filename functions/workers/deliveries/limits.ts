/** How long the worker may run: it begins no request after 20 seconds, and a request takes up to 15. */
export const deliverySeconds = 60

export { disabledLogLine } from '#webhooks/log-lines.ts'
