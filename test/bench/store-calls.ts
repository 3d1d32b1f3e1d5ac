import { setImmediate as nextTurn } from 'node:timers/promises'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** A call of the table as the document client saw it. */
export type StoreCall = {
  /** The command's class: `GetCommand`. */
  name: string
  input: Record<string, unknown>
  output: Record<string, unknown>
}

/** Whether a call removes finished jobs. No answer waits for it, though the table may be faster than the answer. */
export function removesJobs({ name, input }: StoreCall): boolean {
  if (name !== 'BatchWriteCommand') return false
  const requests = Object.values(input.RequestItems as Record<string, WriteRequest[]>).flat()
  return requests.every(({ DeleteRequest }) => DeleteRequest?.Key.pk.startsWith('outbox#') === true)
}

type WriteRequest = { DeleteRequest?: { Key: { pk: string } } }

type Command = { constructor: { name: string }; input: Record<string, unknown> }
type Send = (command: Command, options?: unknown) => Promise<Record<string, unknown>>
type Answer = (
  command: Command,
  send: () => Promise<Record<string, unknown>>,
) => Promise<Record<string, unknown>>

const passOn: Answer = (_command, send) => send()

/**
 * Stands between every document client of this process and its table. Call it before a function is loaded:
 * clients bind their `send` when they are made.
 */
export function interceptStoreCalls() {
  const prototype = DynamoDBDocumentClient.prototype as unknown as { send: Send }
  const original = prototype.send
  let answer = passOn
  prototype.send = function send(this: unknown, command, options) {
    return answer(command, () => original.call(this, command, options))
  }

  return {
    /**
     * Does the work and gives the calls it made, each with the units it consumed; also those that nobody waits for, such
     * as the removal of finished jobs.
     */
    async record<Result>(work: () => Promise<Result>): Promise<{ result: Result; calls: StoreCall[] }> {
      const calls: StoreCall[] = []
      const underWay: Promise<unknown>[] = []
      answer = async (command, send) => {
        command.input.ReturnConsumedCapacity = 'TOTAL'
        const call: StoreCall = { name: command.constructor.name, input: command.input, output: {} }
        calls.push(call)
        const sent = send().then((output) => {
          call.output = output
          return output
        })
        underWay.push(sent)
        return sent
      }
      try {
        const result = await work()
        await nextTurn()
        await Promise.allSettled(underWay)
        return { result, calls }
      } finally {
        answer = passOn
      }
    },

    /**
     * Answers the calls of `work` from `calls`, in their order, without a table.
     *
     * @throws Error in the work, where it calls something else.
     */
    async replay<Result>(calls: StoreCall[], work: () => Promise<Result>): Promise<Result> {
      let at = 0
      answer = async (command) => {
        const call = calls[at]
        at += 1
        if (call?.name !== command.constructor.name) {
          throw new Error(
            `Call ${at} was ${call?.name ?? 'none'} when it was recorded and is ${command.constructor.name} now.`,
          )
        }
        return call.output
      }
      try {
        return await work()
      } finally {
        answer = passOn
      }
    },
  }
}

export type StoreCalls = ReturnType<typeof interceptStoreCalls>

type Consumed = { CapacityUnits?: number }

const reading = new Set(['GetCommand', 'BatchGetCommand', 'QueryCommand', 'TransactGetCommand'])

/** Read and write units that calls have consumed, as the table says. @throws Error where it does not say */
export function unitsOf(calls: StoreCall[]): { read: number; write: number; calls: number } {
  const units = { read: 0, write: 0, calls: calls.length }
  for (const { name, output } of calls) {
    const consumed = [output.ConsumedCapacity].flat() as (Consumed | undefined)[]
    for (const one of consumed) {
      if (one?.CapacityUnits === undefined)
        throw new Error(`The table does not say what a ${name} has consumed.`)
      units[reading.has(name) ? 'read' : 'write'] += one.CapacityUnits
    }
  }
  return units
}
