import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb'
import { createTable } from '#infra/local/create-table.ts'
import type { StoreCall } from './store-calls.ts'

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

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}))
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
  for (const { name, input } of calls) item = (await run(name, input)).Item
  return item
}

type Output = { Item?: Record<string, unknown> | undefined }
type Fill = (fresh: Fresh) => unknown
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
  const uuids = [...new Set(written.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))].filter(
    (id) => !known.includes(id),
  )
  const recorded: Fresh = { ids: uuids, last: recordedLast, fileNumber: numberOf(recordedLast + 1, year) }
  const fills = calls.map(({ input }) => template(input, recorded))

  return async () => {
    const ids = uuids.map(() => randomUUID())
    for (const call of calls.slice(0, counterAt)) await run(call.name, call.input)
    for (let attempt = 0; ; attempt += 1) {
      try {
        const counter = await run('GetCommand', calls[counterAt]?.input ?? {})
        const last = Number(counter.Item?.last)
        const fresh: Fresh = { ids, last, fileNumber: numberOf(last + 1, year) }
        for (let at = counterAt + 1; at <= transactAt; at += 1)
          await run(calls[at]?.name ?? '', fills[at]?.(fresh))
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
      await Promise.all(calls.slice(at, end).map(({ name }, next) => run(name, fills[at + next]?.(fresh))))
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

/** A function that gives the value with new ids and numbers instead of the recorded ones. */
function template(value: unknown, recorded: Fresh): Fill {
  if (value === recorded.last) return ({ last }) => last
  if (value === recorded.last + 1) return ({ last }) => last + 1
  if (typeof value === 'string') return templateOfText(value, recorded)
  if (Array.isArray(value)) {
    const fills = value.map((one) => template(one, recorded))
    return (fresh) => fills.map((fill) => fill(fresh))
  }
  if (typeof value !== 'object' || value === null) return () => value
  const fields = Object.entries(value).map(([name, one]) => [name, template(one, recorded)] as const)
  return (fresh) => {
    const made: Record<string, unknown> = {}
    for (const [name, fill] of fields) made[name] = fill(fresh)
    return made
  }
}

function templateOfText(text: string, recorded: Fresh): Fill {
  const at = recorded.ids.findIndex((id) => text.includes(id))
  const id = recorded.ids[at]
  if (id !== undefined) {
    const [before, after] = [text.slice(0, text.indexOf(id)), text.slice(text.indexOf(id) + id.length)]
    return ({ ids }) => before + ids[at] + after
  }
  const position = text.indexOf(recorded.fileNumber)
  if (position < 0) return () => text
  const [before, after] = [text.slice(0, position), text.slice(position + recorded.fileNumber.length)]
  return ({ fileNumber }) => before + fileNumber + after
}

async function run(name: string, input: unknown): Promise<Output> {
  switch (name) {
    case 'GetCommand':
      return client.send(new GetCommand(input as ConstructorParameters<typeof GetCommand>[0]))
    case 'TransactWriteCommand':
      return (await client.send(
        new TransactWriteCommand(input as ConstructorParameters<typeof TransactWriteCommand>[0]),
      )) as Output
    case 'BatchGetCommand':
      return (await client.send(
        new BatchGetCommand(input as ConstructorParameters<typeof BatchGetCommand>[0]),
      )) as Output
    case 'BatchWriteCommand':
      return (await client.send(
        new BatchWriteCommand(input as ConstructorParameters<typeof BatchWriteCommand>[0]),
      )) as Output
    case 'DeleteCommand':
      return (await client.send(
        new DeleteCommand(input as ConstructorParameters<typeof DeleteCommand>[0]),
      )) as Output
    default:
      throw new Error(`The bare server cannot repeat a ${name}.`)
  }
}
