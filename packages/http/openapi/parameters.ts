import type * as z from 'zod'
import { isCredential } from '../access.ts'
import { type Endpoint, readsBody } from '../endpoint.ts'
import { takesIdempotencyKey } from '../idempotency.ts'
import { queryShape } from '../query-shape.ts'
import type { Components } from './components.ts'
import { hasPrecondition } from './preconditions.ts'
import type { Parameter, Schema } from './types.ts'

/** The parameters of path, query and headers. */
export function parametersOf(
  operation: string,
  endpoint: Endpoint<never>,
  components: Components,
): Parameter[] {
  const examples = {
    path: endpoint.example.params ?? {},
    query: (endpoint.example.query ?? {}) as Record<string, unknown>,
  }
  const parameter = (
    place: 'path' | 'query',
    name: string,
    type: z.ZodType,
    required: boolean,
  ): Parameter => {
    const { description, ...schema } = components.parameterSchemaOf(type, `${place}.${name} of ${operation}`)
    const example = examples[place][name]
    return {
      name,
      in: place,
      required,
      ...(description !== undefined && { description }),
      schema,
      ...(example !== undefined && {
        example: schema.type === 'string' ? example : fromWire(example, schema),
      }),
    }
  }

  const query = endpoint.query && queryShape(endpoint.query)
  return [
    ...Object.entries(endpoint.params).map(([name, type]) => parameter('path', name, type, true)),
    ...Object.entries(query ?? {}).map(([name, type]) =>
      parameter('query', name, type, !type.safeParse(undefined).success),
    ),
    ...credentialOf(endpoint),
    ...((endpoint.etag || endpoint.produces === 'file') && endpoint.method === 'GET' ? [ifNoneMatch] : []),
    ...(endpoint.produces === 'file' ? [range, ifRange] : []),
    ...(hasPrecondition(endpoint) ? [ifMatch] : []),
    ...(takesIdempotencyKey(endpoint) ? [idempotencyKey] : []),
    ...(readsBody(endpoint) ? [prefer] : []),
  ]
}

/** Converts a value of the query string to the type of its parameter: `'50'` to the integer 50. */
function fromWire(example: unknown, schema: Schema): unknown {
  if (schema.type === 'integer' || schema.type === 'number') return Number(example)
  if (schema.type === 'boolean') return String(example) === 'true'
  return example
}

/** The parameter for a credential in a header or in the query. A credential in the path is a placeholder anyway. */
function credentialOf({ access }: Endpoint<never>): Parameter[] {
  if (!isCredential(access) || access.in === 'form' || access.in === 'path') return []
  const { in: place, name, description, example } = access
  return [
    {
      name,
      in: place,
      required: true,
      description,
      schema: { type: 'string' },
      ...(example !== undefined && { example }),
    },
  ]
}

const ifMatch = optionalHeader(
  'If-Match',
  'The ETag of the state on which this change is based. If the ETag is different now, nothing is changed (412).',
)

const ifNoneMatch = optionalHeader(
  'If-None-Match',
  'The ETag of the answer that you have. If it is unchanged, the answer is 304 without a body.',
)

const idempotencyKey = optionalHeader(
  'Idempotency-Key',
  'A text that you choose for this request, such as a UUID. When you repeat the request with it within 24 hours, it takes effect once and you get the first answer again.',
  { type: 'string', minLength: 1, maxLength: 255 },
)

const prefer = optionalHeader(
  'Prefer',
  '`handling=strict` refuses a body with fields that are not read: the refusal suggests the nearest known name. Without it, they are ignored and listed in `X-Ignored-Fields`.',
)

const range = optionalHeader('Range', 'One part of the file: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`.')

const ifRange = optionalHeader(
  'If-Range',
  'The ETag of the file of which you have a part. If it is different now, the whole file is sent.',
)

function optionalHeader(name: string, description: string, schema: Schema = { type: 'string' }): Parameter {
  return { name, in: 'header', required: false, description, schema }
}
