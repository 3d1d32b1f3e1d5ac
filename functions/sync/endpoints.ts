import * as z from 'zod'
import type { SyncService } from '#calendar/sync.ts'
import { PushedEvent, SyncAccount, SyncAccountInput, SyncStatus } from '#calendar/sync-schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pagesOf } from '#kernel/page.ts'

const endpoint = endpointsOf<{ sync: SyncService }>()

const account = {
  id: 'sync_01993f64-2b3c-7d4e-8f5a-6b7c8d9e0f1a',
  provider: 'caldav' as const,
  url: 'https://calendar.example.de/dav/',
  status: 'connected' as const,
  created_at: '2026-03-16T08:30:00.000Z',
}
const eventId = 'evt_01993f62-4a10-7b3c-8d5e-1f2a3b4c5d6e'

export const listSyncAccounts = endpoint({
  method: 'GET',
  path: '/api/v1/calendar/sync/accounts',
  access: 'calendar:read',
  summary: 'List the caller’s external calendars, newest first',
  ...pagesOf(SyncAccount),
  example: { answer: { data: [account], pagination: onePage } },
  handle: ({ sync }, { actor, query }) => sync.list(actor, query),
})

export const createSyncAccount = endpoint({
  method: 'POST',
  path: '/api/v1/calendar/sync/accounts',
  access: 'calendar:write',
  actsOutside: true,
  summary: 'Connect an external calendar',
  description:
    'Checks the credentials with the server and stores them encrypted. The address must be public and use https, unless the deployment allows others. If the address is a calendar, events are pushed to it. Otherwise they are pushed to the first calendar of the account, or to a new one if it has none.',
  body: SyncAccountInput,
  status: 201,
  output: SyncAccount,
  errors: { 422: ['SYNC_CREDENTIALS_REFUSED'], 502: ['SYNC_FAILED'] },
  example: {
    body: { provider: 'caldav', url: account.url, username: 'vogt', password: 'put-the-password-here' },
    answer: account,
  },
  handle: ({ sync }, { actor, body }) => sync.connect(actor, body),
})

export const deleteSyncAccount = endpoint({
  method: 'DELETE',
  path: '/api/v1/calendar/sync/accounts/{id}',
  access: 'calendar:write',
  summary: 'Disconnect an external calendar',
  description: 'Deletes the stored credentials. Events that were pushed stay in the external calendar.',
  params: { id: idOf('syncAccount') },
  output: z.void(),
  errors: { 404: ['SYNC_ACCOUNT_NOT_FOUND'] },
  example: { params: { id: account.id } },
  handle: ({ sync }, { actor, params }) => sync.disconnect(actor, params.id),
})

export const getSyncStatus = endpoint({
  method: 'GET',
  path: '/api/v1/calendar/sync/status',
  access: 'calendar:read',
  summary: 'Get the status of the caller’s external calendars',
  output: SyncStatus,
  example: {
    answer: {
      accounts: [
        {
          id: account.id,
          provider: account.provider,
          url: account.url,
          status: account.status,
          last_synced_at: '2026-03-16T08:45:00.000Z',
          last_error: null,
        },
      ],
    },
  },
  handle: ({ sync }, { actor }) => sync.status(actor),
})

export const pushEvent = endpoint({
  method: 'POST',
  path: '/api/v1/calendar/sync/events/{id}/push',
  access: 'calendar:write',
  actsOutside: true,
  summary: 'Push an event to the caller’s external calendar',
  description:
    'Pushes to the calendar that was connected last. Pushing an event again replaces the external event. If an event is deleted, it is removed there within two minutes. If the server is down, the service retries for 30 days.',
  params: { id: idOf('event') },
  output: PushedEvent,
  errors: { 404: ['EVENT_NOT_FOUND'], 409: ['SYNC_NOT_CONNECTED'], 502: ['SYNC_FAILED'] },
  example: {
    params: { id: eventId },
    answer: {
      event_id: eventId,
      account_id: account.id,
      external_id: `https://calendar.example.de/dav/vogt/kalender/${eventId}.ics`,
      pushed_at: '2026-03-16T08:45:00.000Z',
    },
  },
  handle: ({ sync }, { actor, params }) => sync.push(actor, params.id),
})
