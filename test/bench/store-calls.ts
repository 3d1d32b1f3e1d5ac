import { setImmediate as nextTurn } from 'node:timers/promises'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** A call of the table through the document client. */
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
 * Intercepts the calls of every document client of this process. Call it before a function is loaded: clients bind their
 * `send` when they are created.
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
     * Runs the work and gives its calls, each with the consumed units. Calls that the work does not wait for, such as the
     * removal of finished jobs, are included.
     *
     * @param begins is called with each call when it begins, before it has an output
     */
    async record<Result>(
      work: () => Promise<Result>,
      begins: (call: StoreCall) => void = () => {},
    ): Promise<{ result: Result; calls: StoreCall[] }> {
      const calls: StoreCall[] = []
      const underWay: Promise<unknown>[] = []
      answer = async (command, send) => {
        command.input.ReturnConsumedCapacity = 'TOTAL'
        const call: StoreCall = { name: command.constructor.name, input: command.input, output: {} }
        calls.push(call)
        begins(call)
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
     * @throws Error in the work if it makes another call
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

/** The read and write units of calls, as the table reports them. @throws Error if it does not report them */
export function unitsOf(calls: StoreCall[]): { read: number; write: number; calls: number } {
  const units = { read: 0, write: 0, calls: calls.length }
  for (const { name, output } of calls) {
    const consumed = [output.ConsumedCapacity].flat() as (Consumed | undefined)[]
    for (const one of consumed) {
      if (one?.CapacityUnits === undefined)
        throw new Error(`The table does not report the units of a ${name}.`)
      units[reading.has(name) ? 'read' : 'write'] += one.CapacityUnits
    }
  }
  return units
}
