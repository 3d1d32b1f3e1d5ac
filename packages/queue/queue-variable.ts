/** The environment variable with the address of a queue: `EXTRACT_QUEUE_URL`. */
export function queueVariable(queue: string): string {
  return `${queue.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`
}
