import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pageOf, pagesOf } from '#kernel/page.ts'
import {
  CreatedWebhookEndpoint,
  DeliveryQuery,
  ReplayInput,
  ReplayResult,
  RotatedSecret,
  RotateSecretInput,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointChanges,
  WebhookEndpointInput,
  WebhookTestResult,
} from '#webhooks/endpoint-schema.ts'
import type { EndpointService } from '#webhooks/endpoints.ts'
import { EventPage, EventQuery } from '#webhooks/event-schema.ts'
import type { EventService } from '#webhooks/events.ts'
import type { DeliveryService } from '#webhooks/sent.ts'

const endpoint = endpointsOf<{
  events: EventService
  endpoints: EndpointService
  deliveries: DeliveryService
}>()

const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const eventId = 'wev_01993f5e-7c1b-7a40-8d53-1b6f9c2e7a08'
const id = idOf('webhookEndpoint')
const oneEndpoint = { params: { id }, errors: { 404: ['WEBHOOK_ENDPOINT_NOT_FOUND'] as const } }

const hook = {
  id: 'whk_01993f70-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  url: 'https://kanzlei.example.com/aktenlage',
  description: 'Mandantenportal',
  event_types: ['case.*', 'document.processed'],
  status: 'active' as const,
  disabled_reason: null,
  created_at: '2026-03-16T08:30:00.000Z',
  updated_at: '2026-03-16T08:30:00.000Z',
}
const secret = 'whsec_d2hhdC1hLW5pY2Utc2VjcmV0LW9mLTMyLWJ5dGVzLTE='
const delivery = {
  id: 'whd_01993f5e-7c1b-7c3d-8e4f-5a6b7c8d9e0f',
  event_id: eventId,
  event_type: 'case.created' as const,
  status: 'succeeded' as const,
  attempts: [{ at: '2026-03-16T08:30:00.120Z', status_code: 204, duration_ms: 38, error: null }],
  next_attempt_at: null,
}
const scope = 'workspace:admin'

export const listWebhookEvents = endpoint({
  method: 'GET',
  path: '/api/v1/webhooks/events',
  access: 'any key',
  summary: 'Read the log of events, oldest first',
  description:
    'The events of the last 30 days. An event is shown within five seconds, in an order that never changes: if you continue with `after` and the last id, you get every event once. No special scope is needed: a key sees the events of resources that it may read. If few events match, a page may hold fewer than `limit`, or none, and still have a cursor.',
  query: EventQuery,
  output: EventPage,
  errors: { 404: ['EVENT_NOT_FOUND'], 410: ['EVENTS_EXPIRED'] },
  example: {
    query: { limit: '50' },
    answer: {
      data: [
        {
          id: eventId,
          type: 'case.created',
          occurred_at: '2026-03-16T08:30:00.000Z',
          data: { id: caseId, case_id: caseId },
        },
      ],
      pagination: onePage,
      as_of: '2026-03-16T08:31:00.000Z',
    },
  },
  handle: ({ events }, { actor, query }) => events.list(actor, query),
})

export const listWebhookEndpoints = endpoint({
  method: 'GET',
  path: '/api/v1/webhooks/endpoints',
  access: scope,
  summary: 'List the endpoints that get events, newest first',
  ...pagesOf(WebhookEndpoint),
  example: { answer: { data: [hook], pagination: onePage } },
  handle: ({ endpoints }, { actor, query }) => endpoints.list(actor, query),
})

export const createWebhookEndpoint = endpoint({
  method: 'POST',
  path: '/api/v1/webhooks/endpoints',
  access: scope,
  summary: 'Add an endpoint that gets events',
  description:
    'The service sends every event of these types to the address by POST, according to Standard Webhooks 1.0.0: at least once, signed with the secret. The secret is shown only in this answer. A firm has at most 20 endpoints.',
  body: WebhookEndpointInput,
  status: 201,
  output: CreatedWebhookEndpoint,
  secrets: ['secret'],
  errors: { 400: ['URL_NOT_ALLOWED'], 409: ['WEBHOOK_ENDPOINT_LIMIT'] },
  example: {
    body: { url: hook.url, description: hook.description, event_types: hook.event_types },
    answer: { ...hook, secret },
  },
  handle: ({ endpoints }, { actor, body }) => endpoints.create(actor, body),
})

export const getWebhookEndpoint = endpoint({
  ...oneEndpoint,
  method: 'GET',
  path: '/api/v1/webhooks/endpoints/{id}',
  access: scope,
  summary: 'Get an endpoint',
  output: WebhookEndpoint,
  example: { params: { id: hook.id }, answer: hook },
  handle: ({ endpoints }, { actor, params }) => endpoints.get(actor, params.id),
})

export const updateWebhookEndpoint = endpoint({
  method: 'PATCH',
  path: '/api/v1/webhooks/endpoints/{id}',
  access: scope,
  summary: 'Change, disable or enable an endpoint',
  description:
    'Disabling loses nothing: enabling sends the events that failed or happened meanwhile and are still in the log. Events of a removed type are no longer sent, not even waiting ones.',
  params: { id },
  body: WebhookEndpointChanges,
  output: WebhookEndpoint,
  errors: { 400: ['URL_NOT_ALLOWED'], ...oneEndpoint.errors },
  example: {
    params: { id: hook.id },
    body: { event_types: ['*'] },
    answer: { ...hook, event_types: ['*'], updated_at: '2026-03-16T08:45:00.000Z' },
  },
  handle: ({ endpoints }, { actor, params, body }) => endpoints.update(actor, params.id, body),
})

export const deleteWebhookEndpoint = endpoint({
  ...oneEndpoint,
  method: 'DELETE',
  path: '/api/v1/webhooks/endpoints/{id}',
  access: scope,
  summary: 'Delete an endpoint',
  description: 'Nothing more is sent to it, not even waiting events.',
  output: z.void(),
  example: { params: { id: hook.id } },
  handle: ({ endpoints }, { actor, params }) => endpoints.remove(actor, params.id),
})

export const rotateWebhookSecret = endpoint({
  ...oneEndpoint,
  method: 'POST',
  path: '/api/v1/webhooks/endpoints/{id}/rotate-secret',
  access: scope,
  summary: 'Give an endpoint a new secret',
  description: 'During the overlap every delivery has a signature with each of the two secrets.',
  body: RotateSecretInput,
  output: RotatedSecret,
  secrets: ['secret'],
  example: { params: { id: hook.id }, body: { overlap_hours: 24 }, answer: { secret } },
  handle: ({ endpoints }, { actor, params, body }) => endpoints.rotateSecret(actor, params.id, body),
})

export const testWebhookEndpoint = endpoint({
  method: 'POST',
  path: '/api/v1/webhooks/endpoints/{id}/test',
  access: scope,
  actsOutside: true,
  storedAlone: 'It changes nothing.',
  summary: 'Send an endpoint a test event',
  description:
    'Sends `webhook.test` now and waits for the answer. It is sent once, is not in the log, and does not count for the health of the endpoint. An endpoint runs one test at a time.',
  params: { id },
  output: WebhookTestResult,
  errors: { ...oneEndpoint.errors, 409: ['WEBHOOK_TEST_RUNNING'] },
  example: {
    params: { id: hook.id },
    answer: { delivered: true, status_code: 204, duration_ms: 38, error: null },
  },
  handle: ({ endpoints }, { actor, params }) => endpoints.test(actor, params.id),
})

export const listWebhookDeliveries = endpoint({
  ...oneEndpoint,
  method: 'GET',
  path: '/api/v1/webhooks/endpoints/{id}/deliveries',
  access: scope,
  summary: 'List the deliveries to an endpoint, newest first',
  description:
    'A delivery is listed from its first attempt until 30 days after its last. An event that waits for its first attempt is not listed yet. If few match, a page may hold fewer than `limit`, or none, and still have a cursor.',
  query: DeliveryQuery,
  output: pageOf(WebhookDelivery),
  example: {
    params: { id: hook.id },
    query: { status: 'succeeded' },
    answer: { data: [delivery], pagination: onePage },
  },
  handle: ({ deliveries }, { actor, params, query }) => deliveries.list(actor, params.id, query),
})

export const resendWebhookDelivery = endpoint({
  method: 'POST',
  path: '/api/v1/webhooks/endpoints/{id}/deliveries/{delivery_id}/resend',
  access: scope,
  summary: 'Send an event to an endpoint again',
  description:
    'It has the same `webhook-id`. If it fails, this does not count for the health of the endpoint.',
  params: { id, delivery_id: idOf('webhookDelivery') },
  status: 202,
  output: WebhookDelivery,
  errors: { 404: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'WEBHOOK_DELIVERY_NOT_FOUND'] },
  example: {
    params: { id: hook.id, delivery_id: delivery.id },
    answer: { ...delivery, status: 'pending', next_attempt_at: '2026-03-16T08:45:00.000Z' },
  },
  handle: ({ deliveries }, { actor, params }) => deliveries.resend(actor, params.id, params.delivery_id),
})

export const replayWebhookEvents = endpoint({
  method: 'POST',
  path: '/api/v1/webhooks/endpoints/{id}/replay',
  access: scope,
  summary: 'Send a part of the log to an endpoint again',
  description:
    'It also sends events that succeeded, each with its `webhook-id`. New events of the endpoint are sent in between. An endpoint has at most ten replays that have not ended. Failures of replays do not count for the health of the endpoint.',
  params: { id },
  body: ReplayInput,
  status: 202,
  output: ReplayResult,
  errors: {
    404: ['WEBHOOK_ENDPOINT_NOT_FOUND', 'EVENT_NOT_FOUND'],
    409: ['WEBHOOK_REPLAY_LIMIT'],
    410: ['EVENTS_EXPIRED'],
  },
  example: { params: { id: hook.id }, body: { types: ['case.*'] }, answer: { count: 1 } },
  handle: ({ deliveries }, { actor, params, body }) => deliveries.replay(actor, params.id, body),
})
