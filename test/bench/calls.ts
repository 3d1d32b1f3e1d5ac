import type { Operation } from './cost.ts'
import type { Part, Row } from './report.ts'
import { ask, type Handler } from './requests.ts'
import type { Firm } from './seed.ts'
import { removesJobs, type StoreCall, type StoreCalls } from './store-calls.ts'

/** Operations of one function. */
export type Called = { things: string; handler: Handler; operations: Operation[] }

/** Lists the calls of the table that each request makes before its answer, and which of them are after its durable point. */
export async function measureCalls(firm: Firm, storeCalls: StoreCalls, called: Called[]): Promise<Part> {
  const rows: Row[] = []
  for (const { things, handler, operations } of called) {
    for (const { name, request } of operations) {
      const { calls } = await storeCalls.record(() => ask(handler, request(firm)))
      const awaited = calls.filter((call) => !removesJobs(call))
      const durable = awaited.findIndex((call) => call.name === 'TransactWriteCommand') + 1
      const [before, after] =
        durable > 0 ? [awaited.slice(0, durable), awaited.slice(durable)] : [awaited, []]
      rows.push({
        operation: `${things}: ${name}`,
        'before the answer': awaited.length,
        'until durable': before.length,
        'after that': after.length,
        'not waited for': calls.length - awaited.length,
        calls: [namesOf(before), namesOf(after)].filter((names) => names !== '').join(' | '),
      })
    }
  }
  return {
    title: 'Calls of the table by a request, before its answer',
    method:
      'With the look-up of the API key. The durable point (|) is the first transaction. No answer waits for the removal of finished jobs.',
    rows,
    targets: [],
  }
}

/** `Get Get TransactWrite`, and `BatchWrite ×3` for the same call several times in a row. */
function namesOf(calls: StoreCall[]): string {
  const runs: { name: string; times: number }[] = []
  for (const call of calls) {
    const name = call.name.replace('Command', '')
    const last = runs.at(-1)
    if (last?.name === name) last.times += 1
    else runs.push({ name, times: 1 })
  }
  return runs.map(({ name, times }) => (times > 1 ? `${name} ×${times}` : name)).join(' ')
}
