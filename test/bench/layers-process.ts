import { once } from 'node:events'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { createCase } from '#functions/cases/endpoints.ts'
import { prefersStrict } from '#http/prefer.ts'
import { refuseLongHeaders } from '#http/request-event.ts'
import { weightOf } from '#http/weight.ts'
import { ask, contextOf, eventOf, type Request } from './requests.ts'
import type { Firm } from './seed.ts'
import { interceptStoreCalls, type StoreCall } from './store-calls.ts'

export type LayerOrder = { firm: Firm; repetitions: number }

/** CPU milliseconds of each request, by operation. */
export type LayerTimes = {
  name: string
  storeCalls: number
  cpuMilliseconds: number[]
  /** The part of it that checks headers and weight. */
  guardMilliseconds: number
}[]

const warmUps = 1_000

const storeCalls = interceptStoreCalls()
const { handler } = await import('#functions/cases/index.ts')
const [order]: LayerOrder[] = await once(process, 'message')
if (order === undefined) throw new Error('There is no order.')
const { firm, repetitions } = order

const cases = '/api/v1/cases'
const requests: Record<string, Request> = {
  'GET /cases/{id}': { method: 'GET', resource: `${cases}/{id}`, params: { id: firm.oldestCaseId } },
  'GET /cases, 50 of them': { method: 'GET', resource: cases },
  'POST /cases': {
    method: 'POST',
    resource: cases,
    body: { name: 'Becker ./. Wagner wegen Kaufpreis', type: 'litigation', dezernat: 'Zivilrecht' },
  },
}

/** The line of those who open cases gives the next ticket each time: with an old one a request would look where the line is. */
function drawNextTicket(calls: StoreCall[]): void {
  for (const call of calls) {
    const { last } = (call.output.Attributes ?? {}) as { last?: number }
    if (last !== undefined) call.output = { ...call.output, Attributes: { last: last + 1 } }
  }
}

/** CPU milliseconds of the guards of one request. */
function guardTime(event: APIGatewayProxyEvent): number {
  const rounds = 50_000
  const guard = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      refuseLongHeaders(event)
      prefersStrict(event)
      weightOf(createCase, event)
    }
  }
  guard(rounds)
  const before = process.cpuUsage()
  guard(rounds)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / rounds
}

const times: LayerTimes = []
for (const [name, unsigned] of Object.entries(requests)) {
  const request = { ...unsigned, key: firm.key }
  await ask(handler, request)
  const { calls } = await storeCalls.record(() => ask(handler, request))
  const cpuMilliseconds: number[] = []
  for (let at = -warmUps; at < repetitions; at += 1) {
    const event = eventOf(request)
    const context = contextOf('cases')
    drawNextTicket(calls)
    const before = process.cpuUsage()
    const answer = await storeCalls.replay(calls, () => handler(event, context))
    const { user, system } = process.cpuUsage(before)
    if (answer.statusCode >= 300) throw new Error(`${name} was answered ${answer.statusCode}: ${answer.body}`)
    if (at >= 0) cpuMilliseconds.push((user + system) / 1_000)
  }
  const guardMilliseconds = guardTime(eventOf(request))
  times.push({ name, storeCalls: calls.length, cpuMilliseconds, guardMilliseconds })
}
process.send?.(times, () => process.exit(0))
