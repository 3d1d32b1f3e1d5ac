import type { Header } from './types.ts'

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
  IgnoredFields: {
    description: 'The fields of the body that were not read; absent where there are none.',
    schema: { type: 'string' },
  },
  Location: { description: 'The address to go to.', schema: { type: 'string' } },
  RequestId: {
    description: 'Names this request in our logs; equal to `request_id` of an error.',
    schema: { type: 'string' },
  },
  ETag: { description: 'Changes exactly when the answer does.', schema: { type: 'string' } },
  IdempotentReplayed: {
    description: '`true` where this is the first answer to a repeated request (`Idempotency-Key`).',
    schema: { type: 'string', enum: ['true'] },
  },
  RetryAfter: {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
  WWWAuthenticate: {
    description: 'How to authenticate: always `Bearer`.',
    schema: { type: 'string' },
  },
}

/** Headers that are listed only if an answer refers to them. */
const rare = new Set([
  'ContentDisposition',
  'ContentRange',
  'IdempotentReplayed',
  'IgnoredFields',
  'Location',
  'WWWAuthenticate',
])

/** The header components that these parts of the document refer to. */
export function headersReferredTo(...parts: unknown[]): Record<string, Header> {
  const text = JSON.stringify(parts)
  return Object.fromEntries(
    Object.entries(answerHeaders).filter(
      ([name]) => !rare.has(name) || text.includes(`#/components/headers/${name}"`),
    ),
  )
}
