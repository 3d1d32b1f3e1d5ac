import * as z from 'zod'
import { derivedIdAt, idFilter, idText, shownId, timeOf } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { orCleared, orDefault } from '#kernel/or-default.ts'
import { pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { descriptionText, NullableText, Text, Timestamp } from '#kernel/text.ts'
import { allEventTypes, type EventType, typesNamed } from './catalogue-schema.ts'
import { shownEventType } from './event-schema.ts'

const status = z.enum(['active', 'disabled'])

/** An endpoint as it is shown (E3). Its secret is never part of it. */
export const WebhookEndpoint = namedObject('WebhookEndpoint', () => ({
  id: shownId('webhookEndpoint'),
  url: Text,
  description: NullableText,
  event_types: z.array(Text).meta({ description: 'The types that it gets: `*`, `case.*` or one type.' }),
  status,
  disabled_reason: NullableText.meta({
    description:
      '`gone`: it has answered 410. `failing`: nothing has succeeded for five days. `by_user`: a user has disabled it. Null while it is active.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
}))
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>

const secret = Text.optional().meta({
  description:
    '`whsec_` and 32 random bytes in base64, shown this once. A repeated answer (`Idempotency-Key`) is without it.',
})

export const CreatedWebhookEndpoint = z.lazy(() =>
  WebhookEndpoint.unwrap().extend({ secret }).meta({ id: 'CreatedWebhookEndpoint' }),
)
export type CreatedWebhookEndpoint = z.infer<typeof CreatedWebhookEndpoint> & { secret: string }

const maxUrlLength = 2_000

/**
 * Its length is checked here. Its form and its host are checked by the service, which refuses them as
 * `URL_NOT_ALLOWED`.
 */
const url = z
  .string()
  .trim()
  .min(1, 'This must not be empty.')
  .max(maxUrlLength, `At most ${maxUrlLength} characters.`)
  .meta({
    description:
      'It is https, has no user name, password or fragment, and leads to a public address. Redirects are not followed. The user who sets it decides which beA events are sent: only those that this user may see.',
  })

const eventTypes = z
  .array(
    Text.max(100).transform((filter, context) =>
      filter === '*' || typesNamed(filter) !== undefined
        ? filter
        : refuse(context, 'There is no such type of event.'),
    ),
  )
  .min(1, 'Name at least one type, or `*`.')
  .max(100, 'At most 100 types.')
  .transform((filters) => [...new Set(filters)])

const description = z.lazy(() => descriptionText().nullable())

export const WebhookEndpointInput = namedObject('WebhookEndpointInput', () => ({
  url,
  description: description.default(null),
  event_types: eventTypes
    .nullish()
    .transform((filters) => filters ?? ['*'])
    .meta({ description: 'The types that it gets: `*` (the default), `case.*` or one type.' }),
}))
export type WebhookEndpointInput = z.output<typeof WebhookEndpointInput>

export const WebhookEndpointChanges = namedObject('WebhookEndpointChanges', () => ({
  url: url.optional(),
  description: description.optional(),
  event_types: orCleared(eventTypes, ['*']).meta({
    description: 'The types that it gets: `*`, `case.*` or one type. Null: `*`.',
  }),
  status: status.optional().meta({
    description:
      '`active` also sends what has failed or happened while it was disabled, as far as the log has it.',
  }),
}))
export type WebhookEndpointChanges = z.output<typeof WebhookEndpointChanges>

/** The request may have no body. */
export const RotateSecretInput = namedObject('RotateSecretInput', () => ({
  overlap_hours: orDefault(z.int().gte(0).lte(168), 24).meta({
    description:
      'For how many hours deliveries carry a signature with the old secret too. 0: only the new secret signs from now on.',
  }),
})).prefault({})
export type RotateSecretInput = z.output<typeof RotateSecretInput>

export const RotatedSecret = namedObject('RotatedSecret', () => ({ secret }))
export type RotatedSecret = z.infer<typeof RotatedSecret> & { secret: string }

const attempt = {
  status_code: z.int().nullable().meta({ description: 'Null if no answer came.' }),
  duration_ms: z.int().meta({ description: 'The time from the DNS look-up to the status, in milliseconds.' }),
  error: NullableText.meta({
    description:
      '`timeout`, `address_not_allowed`, `connection_failed` or `not_2xx`; null after a success. Bodies of answers are not kept.',
  }),
}

export const WebhookTestResult = namedObject('WebhookTestResult', () => ({
  delivered: z.boolean().meta({ description: 'Whether a status from 200 to 299 came within 15 seconds.' }),
  ...attempt,
}))
export type WebhookTestResult = z.infer<typeof WebhookTestResult>

const deliveryStatus = z.enum(['pending', 'succeeded', 'failed'])
export type DeliveryStatus = z.infer<typeof deliveryStatus>

export const DeliveryAttempt = namedObject('DeliveryAttempt', () => ({ at: Timestamp, ...attempt }))
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>

/** The delivery of an event to an endpoint (E6). */
export const WebhookDelivery = namedObject('WebhookDelivery', () => ({
  id: shownId('webhookDelivery'),
  event_id: shownId('webhookEvent'),
  event_type: shownEventType,
  status: deliveryStatus,
  attempts: z.array(DeliveryAttempt).meta({ description: 'Oldest first; the last 20.' }),
  next_attempt_at: Timestamp.nullable(),
}))
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export function shownDelivery(record: WebhookDelivery): WebhookDelivery {
  const { id, event_id, event_type, status, attempts, next_attempt_at } = record
  return { id, event_id, event_type, status, attempts, next_attempt_at }
}

export const DeliveryQuery = lazyObject(() => ({
  ...pageQuery,
  status: deliveryStatus.optional(),
  event_id: idFilter('webhookEvent').optional().meta({ description: 'Only the delivery of this event.' }),
}))
export type DeliveryQuery = z.infer<typeof DeliveryQuery>

/** The request may have no body. */
export const ReplayInput = namedObject('ReplayInput', () => ({
  after: idText('webhookEvent')
    .nullish()
    .meta({ description: 'The id of an event: only later ones are sent.' }),
  until: idText('webhookEvent').nullish().meta({ description: 'The id of the last event that is sent.' }),
  types: eventTypes.nullish().meta({ description: 'Only these of the endpoint’s own types.' }),
})).prefault({})
export type ReplayInput = z.output<typeof ReplayInput>

export const ReplayResult = namedObject('ReplayResult', () => ({
  count: z.int().meta({ description: 'How many events are sent again.' }),
}))
export type ReplayResult = z.infer<typeof ReplayResult>

/** The types that the filters of an endpoint name. */
export function typesWanted(filters: readonly string[]): Set<EventType> {
  return new Set(filters.flatMap((filter) => (filter === '*' ? allEventTypes : (typesNamed(filter) ?? []))))
}

/** The id of the delivery of an event to an endpoint: always the same one. It has the time of the event. */
export function deliveryIdOf(endpointId: string, eventId: string): string {
  return derivedIdAt('webhookDelivery', `${endpointId} ${eventId}`, timeOf(eventId))
}
