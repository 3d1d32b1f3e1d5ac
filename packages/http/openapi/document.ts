import type { Endpoint } from '../endpoint.ts'
import { ErrorEnvelope } from '../error-envelope.ts'
import { collectComponents } from './components.ts'
import { headersReferredTo } from './headers.ts'
import { operationOf } from './operation.ts'
import { shareObjects } from './shared-objects.ts'
import type { Groups, OpenApiDocument, ServiceInfo } from './types.ts'
import { describeFields } from './vocabulary.ts'
import { webhooksOf } from './webhooks.ts'

/**
 * The OpenAPI 3.1 document of these endpoints.
 *
 * Schemas registered with an `id` become components of that name. Error answers list the codes that the endpoint
 * declares and the codes that every endpoint of its kind has.
 *
 * @throws Error for two different schemas with the same name, a schema that JSON Schema cannot express, and an operation
 * name or a route that occurs twice. The message names the place.
 */
export function openapi(
  endpoints: readonly { operation: string; endpoint: Endpoint<never> }[],
  info: ServiceInfo,
): OpenApiDocument {
  const { groups, vocabulary, webhooks = [], ...about } = info
  const components = collectComponents()
  const paths: OpenApiDocument['paths'] = {}
  const tags = new Map<string, OpenApiDocument['tags'][number]>()
  const operations = new Set<string>()

  components.schemaOf(ErrorEnvelope, 'output', 'the error envelope')
  for (const { operation, endpoint } of inReadingOrder(endpoints, groups)) {
    const tag = tagOf(endpoint.path, groups)
    const methods = paths[endpoint.path] ?? {}
    const method = endpoint.method.toLowerCase()
    if (operations.has(operation)) throw new Error(`Two endpoints are named ${operation}.`)
    if (methods[method] !== undefined)
      throw new Error(`${endpoint.method} ${endpoint.path} is declared twice.`)
    paths[endpoint.path] = methods
    tags.set(tag.name, tag)
    operations.add(operation)
    methods[method] = operationOf(operation, endpoint, tag.name, components)
  }

  const sent = webhooksOf(webhooks, components)
  const shared = describeFields(shareObjects({ paths, schemas: components.schemas }), vocabulary)
  return {
    openapi: '3.1.1',
    info: about,
    servers: [{ url: '/', description: 'The host that serves this document.' }],
    tags: [...tags.values()],
    security: [{ apiKey: [] }],
    paths: shared.paths,
    ...(webhooks.length > 0 && { webhooks: sent }),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'ak_<uuid>_<secret>',
          description: 'An API key of a user.',
        },
      },
      schemas: shared.schemas,
      headers: headersReferredTo(paths, components.responses),
      responses: components.responses,
    },
  }
}

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Sorts by group, path and method, so that the order of the declarations does not matter. */
function inReadingOrder<Declared extends { endpoint: Endpoint<never> }>(
  endpoints: readonly Declared[],
  groups: Groups,
): Declared[] {
  const names = [...new Set(Object.values(groups).map(({ name }) => name))]
  const place = (path: string): number => {
    const index = names.indexOf(tagOf(path, groups).name)
    return index === -1 ? names.length : index
  }
  return endpoints.toSorted(
    ({ endpoint: one }, { endpoint: other }) =>
      place(one.path) - place(other.path) ||
      (one.path === other.path ? 0 : one.path < other.path ? -1 : 1) ||
      methodOrder.indexOf(one.method) - methodOrder.indexOf(other.method),
  )
}

/** Name and description of a path's group, by the first segment after `/api/v1`. */
function tagOf(path: string, groups: Groups): { name: string; description?: string } {
  const segment = path.replace(/^\/api\/v1(?=\/)/, '').split('/')[1] ?? ''
  return groups[segment] ?? { name: segment.charAt(0).toUpperCase() + segment.slice(1).replaceAll('-', ' ') }
}
