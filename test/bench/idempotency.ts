import { randomUUID } from 'node:crypto'
import { caseOperations, type Operation } from './cost.ts'
import { ofDeadlines } from './deadlines.ts'
import type { Part } from './report.ts'
import { ask, type Handler } from './requests.ts'
import type { Firm } from './seed.ts'
import { type StoreCalls, unitsOf } from './store-calls.ts'

/** The units that an Idempotency-Key may add to a typical request: two for the answer (G14), one for its note (R3). */
const maxUnits = 3

/** The note is one call, which no other call waits for. */
const maxCalls = 1

/** Measures what the table charges for a POST with an Idempotency-Key beyond what it charges without one. */
export async function measureIdempotency(
  firm: Firm,
  storeCalls: StoreCalls,
  handlers: { cases: Handler; deadlines: Handler },
): Promise<Part> {
  const creating = (operations: Operation[], name: string) =>
    operations.find((operation) => operation.name === name)?.request(firm)
  const measured = [
    { name: 'open a case', handler: handlers.cases, request: creating(caseOperations, 'create') },
    {
      name: 'enter a deadline',
      handler: handlers.deadlines,
      request: creating(ofDeadlines.operations, 'create'),
    },
    {
      name: 'enter a deadline with its calculation',
      handler: handlers.deadlines,
      request: creating(ofDeadlines.operations, 'create with basis'),
    },
  ]
  const rows = []
  for (const { name, handler, request } of measured) {
    if (request === undefined) throw new Error(`The bench has no operation to ${name}.`)
    const callsOf = async (idempotencyKey?: string) => {
      const sent = { ...request, ...(idempotencyKey !== undefined && { idempotencyKey }) }
      return (await storeCalls.record(() => ask(handler, sent))).calls
    }
    await callsOf()
    const key = randomUUID()
    const [without, first] = [unitsOf(await callsOf()), unitsOf(await callsOf(key))]
    const repeated = await callsOf(key)
    rows.push({
      operation: name,
      'write units without': without.write,
      'write units with a key': first.write,
      'further calls': first.calls - without.calls,
      'calls of a repetition': repeated.length,
    })
  }
  const [opening] = rows
  if (opening === undefined) throw new Error('Nothing was measured.')
  return {
    title: 'Idempotency-Key: what it costs',
    method:
      'Write units and calls as the table reports them, of the same request without a key, with one, and repeated with it. It does not report those of a refused transaction.',
    rows,
    targets: [
      {
        name: 'write units that an Idempotency-Key adds to opening a case',
        measured: opening['write units with a key'] - opening['write units without'],
        unit: '',
        max: maxUnits,
      },
      {
        name: 'calls that an Idempotency-Key adds to opening a case',
        measured: opening['further calls'],
        unit: '',
        max: maxCalls,
      },
    ],
  }
}
