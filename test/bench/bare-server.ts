import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { createTable } from '#infra/local/create-table.ts'
import type { StoreCall } from './store-calls.ts'
import { client, type Output, repeat } from './table-client.ts'
import { type Fill, placeIn, template, uuidsOf } from './template.ts'

/** The calls that the bare server makes for a GET and for a POST: those recorded from the service. */
export type BareOrder = { get: StoreCall[]; post: StoreCall[] }

/**
 * A server without our layers: node:http, the document client, and the calls of the table that the service makes for the
 * same requests. Ids and file numbers are new for every case. If another request has taken the file number, it tries
 * again like the service.
 *
 * It gets its `BareOrder` from its parent process, sends its port to it, and ends with it.
 */
process.once('disconnect', () => process.exit(0))

const TableName = process.env.TABLE_NAME ?? ''
await createTable(TableName)

const [order]: BareOrder[] = await once(process, 'message')
if (order === undefined) throw new Error('There is no order.')
const { get, post } = order
for (const { output } of [...get, ...post]) {
  if (output.Item)
    await client.send(new PutCommand({ TableName, Item: output.Item as Record<string, unknown> }))
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
  const counterAt = calls.findIndex(({ output }) => typeof (output as Output).Item?.last === 'number')
  const recordedLast = Number((calls[counterAt]?.output as Output | undefined)?.Item?.last)
  const [, year = ''] = /#file_number#\d+\/(\d+)/.exec(JSON.stringify(calls[transactAt]?.input)) ?? []
  const written = JSON.stringify(calls.slice(transactAt))
  const known = JSON.stringify(calls.slice(0, transactAt))
  const uuids = uuidsOf(written).filter((id) => !known.includes(id))
  const recorded: Fresh = { ids: uuids, last: recordedLast, fileNumber: numberOf(recordedLast + 1, year) }
  const fills = calls.map(({ input }) => template<Fresh>(input, (value) => placeOf(value, recorded)))

  return async () => {
    const ids = uuids.map(() => randomUUID())
    for (const call of calls.slice(0, counterAt)) await repeat(call.name, call.input)
    for (let attempt = 0; ; attempt += 1) {
      try {
        const counter = await repeat('GetCommand', calls[counterAt]?.input ?? {})
        const last = Number(counter.Item?.last)
        const fresh: Fresh = { ids, last, fileNumber: numberOf(last + 1, year) }
        for (let at = counterAt + 1; at <= transactAt; at += 1)
          await repeat(calls[at]?.name ?? '', fills[at]?.(fresh))
        return await follow(transactAt + 1, fresh)
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') throw error
        await sleep(Math.random() * Math.min(500, 10 * 2 ** attempt))
      }
    }
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
    return transaction.TransactItems[0]?.Put?.Item
  }
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
