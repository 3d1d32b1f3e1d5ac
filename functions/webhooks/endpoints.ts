import { endpointsOf } from '#http/endpoint.ts'
import { onePage } from '#kernel/page.ts'
import { EventPage, EventQuery } from '#webhooks/event-schema.ts'
import type { EventService } from '#webhooks/events.ts'

const endpoint = endpointsOf<{ events: EventService }>()

const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'

export const listWebhookEvents = endpoint({
  method: 'GET',
  path: '/api/v1/webhooks/events',
  access: 'any key',
  summary: 'Read the log of events, oldest first',
  description:
    'What has happened in the last 30 days. It shows an event within five seconds, in an order that never changes: who continues with `after` and the last id that it saw misses nothing and sees nothing twice. The key needs no scope of its own: it sees the types of which it may read the resource. If few events match, a page may hold fewer than asked for, or none, and still have a cursor.',
  query: EventQuery,
  output: EventPage,
  errors: { 404: ['EVENT_NOT_FOUND'], 410: ['EVENTS_EXPIRED'] },
  example: {
    query: { limit: '50' },
    answer: {
      data: [
        {
          id: 'wev_01993f5e-7c1b-7a40-8d53-1b6f9c2e7a08',
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
