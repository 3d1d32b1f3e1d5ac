import * as z from 'zod'
import { idFilter, idText, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { Pagination, pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { Text, Timestamp } from '#kernel/text.ts'
import { allEventTypes, type EventType, schemaOf, typesNamed } from './catalogue-schema.ts'

/** A type in an answer. */
export const shownEventType = z
  .enum(allEventTypes as [EventType, ...EventType[]])
  .meta({ id: 'EventType', description: 'A type of events, as the catalogue describes it.' })

/** An event as the log shows it (E1). */
export const WebhookEvent = namedObject('WebhookEvent', () => ({
  id: shownId('webhookEvent'),
  type: shownEventType,
  occurred_at: Timestamp,
  data: z
    .object({
      id: Text,
      case_id: shownId('case').nullable(),
      config_id: schemaOf('config_id').optional(),
      draft_id: schemaOf('draft_id').optional(),
      status: schemaOf('status').optional(),
    })
    .meta({ id: 'EventData' }),
}))
export type WebhookEvent = z.infer<typeof WebhookEvent>

export const EventPage = lazyObject(() => ({
  data: z.array(WebhookEvent),
  pagination: Pagination,
  as_of: Timestamp.meta({
    description:
      'Every event up to this time is on this page, on a following one, or before `after`. It is the same on all pages of one listing.',
  }),
}))
export type EventPage = z.infer<typeof EventPage>

/** The types that repeated filters name. */
const eventTypeFilter = z
  .array(
    Text.max(100).transform(
      (filter, context) => typesNamed(filter) ?? refuse(context, 'There is no such type of event.'),
    ),
  )
  .max(100)
  .transform((named) => [...new Set(named.flat())])

export const EventQuery = lazyObject(() => ({
  ...pageQuery,
  after: idText('webhookEvent')
    .optional()
    .meta({ description: 'The id of the last event that you have seen: only later ones are shown.' }),
  type: eventTypeFilter.optional().meta({
    description:
      'Only events of this type, or with `case.*` of every type that begins so. It may be repeated.',
  }),
  case_id: idFilter('case').optional().meta({ description: 'Only events of this case.' }),
}))
export type EventQuery = z.infer<typeof EventQuery>
