import { beforeAll, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { idPrefixes, newId, uuidv7At } from '#kernel/id.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { deliveryStore } from '#store/webhooks/delivery-store.ts'
import { sharedTable } from '#test/support/table.ts'
import type { DeliveryRecord } from '#webhooks/endpoint-ports.ts'
import { deliveryIdOf } from '#webhooks/endpoint-schema.ts'

/** The deliveries of many events are read as a range if nothing else lies in it (E6). */

let table: Db
beforeAll(async () => {
  table = await sharedTable()
})

const asked = async (events: (all: string[]) => string[]) => {
  const commands: string[] = []
  const client = new Proxy(table.client, {
    get: (real, name) => {
      if (name !== 'send') return Reflect.get(real, name)
      return (command: object, ...rest: unknown[]) => {
        commands.push(command.constructor.name)
        return Reflect.apply(real.send, real, [command, ...rest])
      }
    },
  })
  const db = { ...table, client } as Db
  const store = deliveryStore({ db, cursors: tableCursors(db) })
  const key = { workspace_id: newId('workspace'), endpoint_id: newId('webhookEndpoint') }
  const begun = systemClock.now().getTime()
  // Three events of each millisecond.
  const ids = Array.from({ length: 90 }, (_, at) => {
    const place = uuidv7At(begun + Math.floor(at / 3)).slice(0, -2) + String(at).padStart(2, '0')
    return idPrefixes.webhookEvent + place
  })
  const deliveries = ids.slice(0, 60).map((id): DeliveryRecord => {
    const event = {
      id,
      type: 'party.created',
      occurred_at: '',
      data: { id: 'pty_1', case_id: null },
    } as const
    return {
      ...{ ...key, id: deliveryIdOf(key.endpoint_id, id), event_id: id, event_type: event.type, event },
      ...{
        status: 'succeeded',
        attempts: [],
        next_attempt_at: null,
        updated_at: systemClock.now().toISOString(),
      },
    } as DeliveryRecord
  })
  await store.save(key, { deliveries })
  commands.length = 0
  const wanted = events(ids)
  const found = await store.ofEvents(key, wanted)
  const known = new Set(ids.slice(0, 60))
  expect([...found.keys()].toSorted()).toEqual(wanted.filter((id) => known.has(id)).toSorted())
  for (const [id, delivery] of found) expect(delivery.event.id).toBe(id)
  return commands
}

it.each([
  ['a page of the log', (all: string[]) => all.slice(7, 52), ['QueryCommand']],
  ['a page that nobody was sent', (all: string[]) => all.slice(60), ['QueryCommand']],
  [
    'a page of which the end is new, in another order',
    (all: string[]) => all.slice(40).toReversed(),
    ['QueryCommand'],
  ],
  [
    'events with many others between them',
    (all: string[]) => all.filter((_, at) => at % 4 === 0),
    ['QueryCommand', 'BatchGetCommand'],
  ],
  ['a few events', (all: string[]) => all.slice(0, 3), ['BatchGetCommand']],
  ['no event', () => [], []],
])('%s', async (_, events, commands) => {
  expect(await asked(events)).toEqual(commands)
})
