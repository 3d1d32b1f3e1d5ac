import type { Endpoint } from '../endpoint.ts'

/** Whether the endpoint changes an existing resource with an ETag, and so checks `If-Match`. */
export function hasPrecondition({ condition, etag, method, status }: Endpoint<never>): boolean {
  return (condition ?? etag) !== undefined && method !== 'GET' && status !== 201
}
