import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { epochMilliseconds } from '#kernel/clock.ts'
import { required } from '#kernel/failure.ts'
import { idPrefixes, timeOf, uuidv7At } from '#kernel/id.ts'
import type { DeliveryRecord, DeliveryStore, EndpointKey, Waiting } from '#webhooks/endpoint-ports.ts'
import { deliveryIdOf, shownDelivery } from '#webhooks/endpoint-schema.ts'
import { getsById, readAll, writeAll } from '../batch.ts'
import { type Cursors, pageByCursor } from '../cursor.ts'
import { type Db, strongly } from '../db.ts'
import { type WithoutNulls, withNulls, withoutNulls } from '../nulls.ts'
import { unknownOf, withUnknown } from '../rewrite.ts'
import { sortedList } from '../sorted-list.ts'
import { put, retryStale, transact } from '../transact.ts'
import { webhookDelivery } from './delivery-entity.ts'
import { askedNow } from './dispatch-store.ts'
import { keptMilliseconds, lapsesAfter } from './event-actions.ts'

/** Deliveries that are read for one page at most, even if the filter leaves few of them. */
const maxRead = 1_000

/** From this number of events on, their deliveries may be read as one range. */
const fewestInRange = 10

/** The most other deliveries in the range: of events of the same millisecond, or of other types. */
const maxOthers = 25

/** Deliveries, and what waits to be sent, in the table. */
export function deliveryStore({ db, cursors }: { db: Db; cursors: Cursors }): DeliveryStore {
  const items = webhookDelivery(db)
  const list = sortedList<Omit<Waiting, 'place'>>(db, 'webhook_waiting', 'ascending')

  const putOf = ({ event_id: _, event_type: __, unknown = {}, ...record }: DeliveryRecord) =>
    withUnknown(items.put(withoutNulls({ ...record, ttl: lapsesAfter(epochMilliseconds()) })), unknown)

  const recordOf = (item: DeliveryItem): DeliveryRecord => {
    const { ttl: _, ...record } = withNulls(item, webhookDelivery.nullable)
    return { ...record, event_id: record.event.id, event_type: record.event.type }
  }

  /** The deliveries among these items of the table. */
  const recordsOf = (found: Record<string, unknown>[]): DeliveryRecord[] =>
    found.flatMap((Item) => {
      const { data } = items.parse({ Item })
      return data === null ? [] : [{ ...recordOf(data), unknown: unknownOf(items, Item) }]
    })

  const read = async (key: EndpointKey, ids: readonly string[]): Promise<DeliveryRecord[]> => {
    const gets = getsById(ids, (id) => items.get({ ...key, id }))
    return recordsOf(await readAll(db, gets))
  }

  /**
   * The deliveries of events from the oldest to the newest of these: one Query, which costs hardly anything while few of
   * them were sent before.
   *
   * @returns `upTo`: the last delivery that was read, if many others lie between them
   */
  const readBetween = async (key: EndpointKey, events: readonly string[]) => {
    const times = events.map((event) => timeOf(event).getTime())
    const idAt = (time: number) => idPrefixes.webhookDelivery + uuidv7At(time)
    const query = items.query
      .newest(key)
      .between({ id: idAt(Math.min(...times)) }, { id: idAt(Math.max(...times) + 1) })
      .params({ limit: events.length + maxOthers, ...strongly })
    const { Items = [], LastEvaluatedKey } = await db.client.send(
      new QueryCommand(query as QueryCommandInput),
    )
    return { found: recordsOf(Items), upTo: LastEvaluatedKey && String(LastEvaluatedKey.sk) }
  }

  /** The deliveries of these events, and perhaps some of others. */
  const readNear = async (key: EndpointKey, events: readonly string[]): Promise<DeliveryRecord[]> => {
    const isWorthIt = events.length >= fewestInRange
    const { found, upTo } = isWorthIt ? await readBetween(key, events) : { found: [], upTo: '' }
    if (upTo === undefined) return found
    const ids = events.map((event) => deliveryIdOf(key.endpoint_id, event)).filter((id) => id > upTo)
    return [...found, ...(await read(key, ids))]
  }

  const entryOf = ({ endpoint_id }: EndpointKey, { place, ...data }: Waiting) => ({
    term: endpoint_id,
    place,
    data,
    ttl: lapsesAfter(epochMilliseconds()),
  })

  const find: DeliveryStore['find'] = async (key, id) => (await read(key, [id])).find(isKept)

  return {
    find,

    ofEvents: async (key, events) => {
      const wanted = new Set(events)
      const near = await readNear(key, [...wanted])
      return new Map(
        near.flatMap((delivery) => (wanted.has(delivery.event_id) ? [[delivery.event_id, delivery]] : [])),
      )
    },

    page: (key, { status, event_id }, request) => {
      const binding = [key.workspace_id, 'webhook_deliveries', key.endpoint_id, status, event_id]
      const isWanted = (delivery: DeliveryRecord) => status === undefined || delivery.status === status
      return pageByCursor(cursors, binding, request, async (below, limit) => {
        if (event_id !== undefined) {
          const one = await find(key, deliveryIdOf(key.endpoint_id, event_id))
          return { items: one !== undefined && isWanted(one) ? [shownDelivery(one)] : [], next: undefined }
        }
        const found: DeliveryRecord[] = []
        for (let last = below, read = 0; ; ) {
          const query = items.query.newest(key)
          const older = last === undefined ? query : query.lt({ id: last })
          const size = status === undefined ? limit + 1 : 200
          const { data, cursor } = await older.go({ order: 'desc', limit: size, ...strongly })
          const all = data.map(recordOf)
          found.push(...all.filter((one) => isKept(one) && isWanted(one)))
          last = all.at(-1)?.id ?? last
          read += all.length
          if (found.length > limit) {
            const page = found.slice(0, limit)
            return { items: page.map(shownDelivery), next: page.at(-1)?.id }
          }
          if (cursor === null) return { items: found.map(shownDelivery), next: undefined }
          if (read >= maxRead) return { items: found.map(shownDelivery), next: last }
        }
      })
    },

    save: async ({ workspace_id, endpoint_id }, { deliveries = [], waiting = [], gone = [] }) => {
      const key = { workspace_id, endpoint_id }
      const entries = lastOfEach(waiting, ({ place }) => place).map((one) => entryOf(key, one))
      // A delivery names the time of its next attempt: the entry is there before. The one before it leaves the list last.
      if (entries.length > 0) await list.write(workspace_id, entries, [])
      await writeAll(db, lastOfEach(deliveries, ({ id }) => id).map(putOf))
      const places = new Set(waiting.map(({ place }) => place))
      const left = lastOfEach(gone, ({ place }) => place)
        .filter(({ place }) => !places.has(place))
        .map((one) => entryOf(key, one))
      if (left.length > 0) await list.write(workspace_id, [], left)
    },

    waiting: async ({ workspace_id, endpoint_id }, after, limit) => {
      const { entries, ended } = await list.read(workspace_id, endpoint_id, { after }, limit)
      return { entries: entries.map(({ place, data }) => ({ place, ...data })), ended }
    },

    failedSince: async function* (key, since, below) {
      for (let last = below, isEnd = false; !isEnd; ) {
        const query = items.query.newest(key)
        const older = last === undefined ? query : query.lt({ id: last })
        const page: { data: DeliveryItem[]; cursor: string | null } = await older.go({
          order: 'desc',
          limit: maxRead,
          ...strongly,
        })
        const failed = page.data.filter(
          (one) => one.status === 'failed' && one.updated_at >= since && isKept(one),
        )
        last = page.data.at(-1)?.id ?? last
        isEnd = page.cursor === null
        if (last !== undefined) yield { failed: failed.map(recordOf), last }
      }
    },

    resend: (key, id, decide) =>
      retryStale(async () => {
        const before = required(await find(key, id), 'WEBHOOK_DELIVERY_NOT_FOUND')
        const { record, waiting, answer } = decide(before)
        const entry = list.changes(key.workspace_id, [], [entryOf(key, waiting)])
        return transact(db, [...entry, put(putOf(record)), askedNow(db, key)], { answer })
      }),
  }
}

/** Whether a delivery is still shown. DynamoDB may remove it days later. */
function isKept({ updated_at }: Pick<DeliveryRecord, 'updated_at'>): boolean {
  return Date.parse(updated_at) > epochMilliseconds() - keptMilliseconds
}

type DeliveryItem = WithoutNulls<Omit<DeliveryRecord, 'event_id' | 'event_type'> & { ttl: number }>

/** The last one under each name: a batch takes no item twice. */
function lastOfEach<One>(all: readonly One[], nameOf: (one: One) => string): One[] {
  return [...new Map(all.map((one) => [nameOf(one), one])).values()]
}
