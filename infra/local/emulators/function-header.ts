import type { IncomingMessage } from 'node:http'

/** The header that names the function that makes a request to S3. */
export const functionHeader = 'x-local-function'

/** The function that makes a request; undefined if it is somebody else, or an upload of 2 MB or more. */
export function functionOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return headers[functionHeader]?.toString()
}
