import type { Header, OpenApiDocument } from './types.ts'

/** The header that every answer has. */
export const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

const answerHeaders: Record<string, Header> = {
  ContentDisposition: {
    description: 'The name of the file: `attachment` with `filename` and `filename*` (RFC 6266).',
    schema: { type: 'string' },
  },
  ContentRange: {
    description: 'Which bytes these are, and of how many.',
    schema: { type: 'string' },
  },
  Location: { description: 'The address to go to.', schema: { type: 'string' } },
  RequestId: {
    description: 'Names this request in our logs; equal to `request_id` of an error.',
    schema: { type: 'string' },
  },
  ETag: { description: 'Changes exactly when the answer does.', schema: { type: 'string' } },
  RetryAfter: {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
}

/** Headers that are listed only if an answer refers to them. */
const rare = new Set(['ContentDisposition', 'ContentRange', 'Location'])

/** The header components of the document. */
export function headersReferredTo(paths: OpenApiDocument['paths']): Record<string, Header> {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(answerHeaders).filter(
      ([name]) => !rare.has(name) || text.includes(`#/components/headers/${name}"`),
    ),
  )
}
