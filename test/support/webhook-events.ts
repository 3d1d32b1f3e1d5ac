import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredEvent } from '#webhooks/catalogue-schema.ts'
import type { Api } from './api.ts'

/** The log of a service with these variables shows events at once, not when they are two seconds old. */
export const showingEventsAtOnce = { WEBHOOKS_SHOWN_AFTER_MILLISECONDS: '0' }

/** An event is shown a millisecond later. */
const untilShown = 5

/** Everything that the log shows with a query (`type=case.*&case_id=…`), after what has happened so far is in it. The service has `showingEventsAtOnce`. */
export async function loggedEvents(api: Api, query = ''): Promise<StoredEvent[]> {
  await sleep(untilShown)
  return shownEvents(api, query)
}

/** Everything that the log shows now. */
export async function shownEvents(api: Api, query = ''): Promise<StoredEvent[]> {
  const found: StoredEvent[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next = cursor === '' ? '' : `&cursor=${cursor}`
    const { status, body } = await api('GET', `/api/v1/webhooks/events?limit=100&${query}${next}`)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    found.push(...body.data)
    cursor = body.pagination.cursor
  }
  return found
}

/** The types of events and the ids of what they are about: `case.created <id>`. */
export function briefly(events: readonly StoredEvent[]): string[] {
  return events.map(({ type, data }) => `${type} ${data.id}`)
}
