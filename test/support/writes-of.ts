import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import type { interceptStoreCalls } from '#test/bench/store-calls.ts'

type Calls = Awaited<ReturnType<ReturnType<typeof interceptStoreCalls>['record']>>['calls']

const reads = ['GetCommand', 'BatchGetCommand', 'QueryCommand']

/**
 * The writes among calls of the table. `counted`: writes that count a request against an allowance (G17), each as the
 * name of its command and its partition; `others`: the rest.
 */
export function writesOf(calls: Calls): { counted: string[]; others: Calls } {
  const partitionOf = ({ input }: Calls[number]) => String((input as Partial<UpdateCommandInput>).Key?.pk)
  const counts = (call: Calls[number]) => partitionOf(call).endsWith('#allowance')
  const writes = calls.filter(({ name }) => !reads.includes(name))
  return {
    counted: writes.filter(counts).map((call) => `${call.name} ${partitionOf(call)}`),
    others: writes.filter((call) => !counts(call)),
  }
}
