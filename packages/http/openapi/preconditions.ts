import type { Endpoint } from '../endpoint.ts'

/** Whether it changes something that carries an ETag, and so honours `If-Match`; what creates has nothing to match. */
export function hasPrecondition({ condition, etag, method, status }: Endpoint<never>): boolean {
  return (condition ?? etag) !== undefined && method !== 'GET' && status !== 201
}
