import type { Endpoint } from '../endpoint.ts'

/** Whether the endpoint changes an existing resource with an ETag, so that it honours `If-Match`. */
export function hasPrecondition({ condition, etag, method, status }: Endpoint<never>): boolean {
  return (condition ?? etag) !== undefined && method !== 'GET' && status !== 201
}
