import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { createTable } from '#infra/local/create-table.ts'
import type { StoreCall } from './store-calls.ts'
import { client, repeat } from './table-client.ts'
import { type Fill, placeIn, template, uuidsOf } from './template.ts'

/** The calls that the bare server makes for a GET and for a POST: those recorded from the service. */
export type BareOrder = { get: StoreCall[]; post: StoreCall[] }

/**
 * A server without our layers: node:http, the document client, and the calls of the table that the service makes for the
 * same requests. Ids and file numbers are new for every case. Like the service, it remembers the last file number, and
 * cases take their numbers one after the other.
 *
 * It gets its `BareOrder` from its parent process, sends its port to it, and ends with it.
 */
process.once('disconnect', () => process.exit(0))

const TableName = process.env.TABLE_NAME ?? ''
await createTable(TableName)

const [order]: BareOrder[] = await once(process, 'message')
if (order === undefined) throw new Error('There is no order.')
const { get, post } = order
for (const { output } of get) {
  const { Item, Responses } = output as { Item?: object; Responses?: Record<string, object[]> }
  for (const item of Item === undefined ? (Responses?.[TableName] ?? []) : [Item]) await store(item)
}
const open = openCase(post)

const server = createServer(async (request, response) => {
  const isPost = request.method === 'POST'
  const item = isPost ? await open(await json(request)) : await read(get)
  response
    .writeHead(isPost ? 201 : 200, { 'Content-Type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(item))
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.(server.address())

async function read(calls: StoreCall[]): Promise<unknown> {
  let item: unknown
  for (const { name, input } of calls) item = (await repeat(name, input)).Item
  return item
}

/** The values that are new for every case. */
type Fresh = { ids: string[]; last: number; fileNumber: string }

/** Repeats the calls of a recorded POST with a new case each time. */
function openCase(calls: StoreCall[]): (body: unknown) => Promise<unknown> {
  const transactAt = calls.findIndex(({ name }) => name === 'TransactWriteCommand')
  const ticketAt = calls.findIndex(({ name }) => name === 'UpdateCommand')
  const counter = counterOf(calls[transactAt])
  const [, year = ''] = /#file_number#\d+\/(\d+)/.exec(JSON.stringify(calls[transactAt]?.input)) ?? []
  const written = JSON.stringify(calls.slice(transactAt))
  const known = JSON.stringify(calls.slice(0, transactAt))
  const uuids = uuidsOf(written).filter((id) => !known.includes(id))
  const recorded: Fresh = { ids: uuids, last: counter.last, fileNumber: numberOf(counter.last + 1, year) }
  const fills = calls.map(({ input }) => template<Fresh>(input, (value) => placeOf(value, recorded)))
  let { last } = counter
  let turn: Promise<unknown> = store({ ...counter.key, last })

  return async () => {
    for (const { name, input } of calls.slice(0, ticketAt)) await repeat(name, input)
    const inTurn = turn.then(async () => {
      const fresh: Fresh = { ids: uuids.map(() => randomUUID()), last, fileNumber: numberOf(last + 1, year) }
      for (let at = ticketAt; at <= transactAt; at += 1)
        await repeat(calls[at]?.name ?? '', fills[at]?.(fresh))
      last += 1
      return fresh
    })
    turn = inTurn
    return follow(transactAt + 1, await inTurn)
  }

  /** Makes the calls after the transaction. Consecutive batches are sent at the same time, like the service does. */
  async function follow(from: number, fresh: Fresh): Promise<unknown> {
    for (let at = from; at < calls.length; ) {
      let end = at + 1
      while (calls[at]?.name === 'BatchWriteCommand' && calls[end]?.name === 'BatchWriteCommand') end += 1
      await Promise.all(calls.slice(at, end).map(({ name }, next) => repeat(name, fills[at + next]?.(fresh))))
      at = end
    }
    const transaction = fills[transactAt]?.(fresh) as {
      TransactItems: { Put?: { Item: Record<string, unknown> } }[]
    }
    return transaction.TransactItems.find(({ Put }) => Put)?.Put?.Item
  }
}

/** The key of the counter that a recorded transaction moves, and the number at which it stood. */
function counterOf(call: StoreCall | undefined): { key: object; last: number } {
  const { TransactItems = [] } = (call?.input ?? {}) as { TransactItems?: { Update?: Moved }[] }
  const moved = TransactItems.find(({ Update }) => Update)?.Update
  if (moved === undefined) throw new Error('The recorded POST moves no counter.')
  return { key: moved.Key, last: moved.ExpressionAttributeValues[':last0'] }
}

type Moved = { Key: object; ExpressionAttributeValues: { ':last0': number } }

async function store(item: object): Promise<void> {
  await client.send(new PutCommand({ TableName, Item: item as Record<string, unknown> }))
}

function numberOf(count: number, year: string): string {
  return `${String(count).padStart(4, '0')}/${year}`
}

/** The replacement of a recorded value: new ids and numbers. */
function placeOf(value: string | number, recorded: Fresh): Fill<Fresh> | undefined {
  if (value === recorded.last) return ({ last }) => last
  if (value === recorded.last + 1) return ({ last }) => last + 1
  if (typeof value === 'number') return undefined
  return (
    placeIn<Fresh>(value, recorded.ids, ({ ids }, at) => ids[at]) ??
    placeIn<Fresh>(value, [recorded.fileNumber], ({ fileNumber }) => fileNumber)
  )
}
