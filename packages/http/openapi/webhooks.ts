import type { Components } from './components.ts'
import { pascal } from './shared-objects.ts'
import type { OpenApiDocument, Parameter, WebhookInfo } from './types.ts'

/** The messages that the service sends, each as a POST to the address of another system (Standard Webhooks 1.0.0). */
export function webhooksOf(
  webhooks: readonly WebhookInfo[],
  components: Components,
): NonNullable<OpenApiDocument['webhooks']> {
  return Object.fromEntries(
    webhooks.map(({ name, description, payload, example }) => [
      name,
      {
        post: {
          operationId: `on${pascal(name.replaceAll(/[._]/g, '-'))}`,
          summary: `Receive ${name}`,
          description,
          security: [],
          parameters: headers,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: components.schemaOf(payload, 'output', name), example },
            },
          },
          responses: {
            '204': { description: 'Received. Every status from 200 to 299 means this.' },
            '4XX': {
              description: 'Not received: the event is sent again. 410 disables the endpoint instead.',
            },
          },
        },
      },
    ]),
  )
}

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const headers: Parameter[] = [
  header('webhook-id', 'The id of the event. It is the same in every attempt and every repetition.'),
  header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
  header(
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by dots. Several are separated by blanks.',
  ),
]
