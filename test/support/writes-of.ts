import type { PutCommandInput, TransactWriteCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import type { interceptStoreCalls } from '#test/bench/store-calls.ts'

type Calls = Awaited<ReturnType<ReturnType<typeof interceptStoreCalls>['record']>>['calls']
type Write = { name: string; input: unknown }

const reads = ['GetCommand', 'BatchGetCommand', 'QueryCommand']

/**
 * The writes among calls of the table, each write of a transaction by itself:
 *
 * - `counted`: writes that count a request against an allowance (G17), as the name of the command and its partition.
 * - `audited`: new entries of the audit (R7), as their partitions.
 * - `kept`: answers to requests with an Idempotency-Key (G14), and their notes.
 * - `others`: all other writes.
 */
export function writesOf(calls: Calls): {
  counted: string[]
  audited: string[]
  kept: string[]
  others: Write[]
} {
  const writes = calls.filter(({ name }) => !reads.includes(name)).flatMap(partsOf)
  const counts = (write: Write) => partitionOf(write).endsWith('#allowance')
  const puts = (write: Write, partition: RegExp) =>
    write.name === 'PutCommand' && partition.test(partitionOf(write))
  const audits = (write: Write) => puts(write, /#audit$/)
  const keeps = (write: Write) => puts(write, /^ws_[0-9a-f-]{36}#(?:kept_answers$|idempotency#)/)
  return {
    counted: writes.filter(counts).map((write) => `${write.name} ${partitionOf(write)}`),
    audited: writes.filter(audits).map(partitionOf),
    kept: writes.filter(keeps).map(partitionOf),
    others: writes.filter((write) => !counts(write) && !audits(write) && !keeps(write)),
  }
}

function partsOf({ name, input }: Calls[number]): Write[] {
  if (name !== 'TransactWriteCommand') return [{ name, input }]
  return ((input as TransactWriteCommandInput).TransactItems ?? []).flatMap((item) =>
    Object.entries(item).map(([kind, part]) => ({ name: `${kind}Command`, input: part })),
  )
}

function partitionOf({ input }: Write): string {
  const { Key, Item } = input as Partial<UpdateCommandInput & PutCommandInput>
  return String((Key ?? Item)?.pk)
}
