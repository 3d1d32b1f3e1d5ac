import * as z from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { takesIdempotencyKey } from '../idempotency.ts'
import type { Components } from './components.ts'
import { commonHeadersOf } from './headers.ts'
import type { Answer, Content } from './types.ts'

/** The successful answers of an endpoint. */
export function answersOf(
  operation: string,
  endpoint: Endpoint<never>,
  components: Components,
): Record<string, Answer> {
  const { status, example, produces } = endpoint
  const renderings = Object.values(endpoint.renderings)
  const headers = {
    ...commonHeadersOf(endpoint, status),
    ...(endpoint.etag && status !== 204 && header('ETag')),
    ...(takesIdempotencyKey(endpoint) && header('Idempotent-Replayed')),
    ...(renderings.some(({ filename }) => filename !== undefined) && header('Content-Disposition')),
    ...(renderings.some(({ nextCursor }) => nextCursor !== undefined) && header('Next-Cursor')),
  }
  if (status === 204) {
    const done = { 204: { description: 'Done. The answer has no body.', headers } }
    if (!(endpoint.output instanceof z.ZodOptional)) return done
    const schema = components.schemaOf(
      endpoint.output.unwrap() as z.ZodType,
      'output',
      `the answer of ${operation}`,
    )
    const content = { 'application/json': { schema, example: example.answer } }
    return { 200: { description: 'Done, with warnings.', headers, content }, ...done }
  }
  if (produces === 'redirect') return { [status]: redirectAnswerOf(endpoint) }
  if (produces === 'stream') return { 200: streamAnswerOf(operation, endpoint, components) }
  if (produces === 'file') return fileAnswersOf(endpoint)
  if (endpoint.output === undefined) throw new Error(`${operation} does not say what it answers.`)
  const success: Answer = {
    description: descriptions[status] ?? 'Done.',
    headers,
    content: {
      [produces]: {
        schema: components.schemaOf(endpoint.output, 'output', `the answer of ${operation}`),
        ...(example.answer !== undefined && { example: example.answer }),
      },
      ...Object.fromEntries(
        Object.keys(endpoint.renderings).map((type) => [type, { schema: { type: 'string' } }]),
      ),
    },
  }
  if (!endpoint.etag || endpoint.method !== 'GET') return { [status]: success }
  return { [status]: success, 304: { description: 'Not changed since the ETag that was sent.', headers } }
}

const descriptions: Record<number, string> = {
  201: 'Created.',
  202: 'Accepted. The work continues after this answer.',
}

const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name.replaceAll('-', '')}` } })

function redirectAnswerOf(endpoint: Endpoint<never>): Answer {
  return {
    description: 'A redirect to another address.',
    headers: { ...commonHeadersOf(endpoint, endpoint.status), ...header('Location') },
  }
}

/** The answer with a stream, whose length is not known in advance. */
function streamAnswerOf(operation: string, endpoint: Endpoint<never>, components: Components): Answer {
  const { json, types } = endpoint
  const bytes = { schema: { type: 'string', format: 'binary' } }
  const ofJson = json && {
    schema: components.schemaOf(json.schema, 'output', `the JSON of ${operation}`),
    example: json.example,
  }
  return {
    description: 'The bytes, as a stream.',
    headers: { ...commonHeadersOf(endpoint, 200), ...header('Content-Disposition') },
    content: Object.fromEntries(
      types.map((type) => [type, type === 'application/json' && ofJson ? ofJson : bytes]),
    ),
  }
}

/** The answers with a file: whole, in part, or not modified. */
function fileAnswersOf(endpoint: Endpoint<never>): Record<string, Answer> {
  const content: Content = { '*/*': { schema: { type: 'string', format: 'binary' } } }
  const headers = { ...commonHeadersOf(endpoint, 200), ...header('ETag') }
  return {
    200: {
      description: 'The bytes, with the type that was detected.',
      headers: { ...headers, ...header('Content-Disposition') },
      content,
    },
    206: {
      description: 'The requested part.',
      headers: { ...headers, ...header('Content-Disposition'), ...header('Content-Range') },
      content,
    },
    304: { description: 'Not changed since the ETag that was sent.', headers },
  }
}
