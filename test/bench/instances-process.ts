import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { contextOf, type Handler } from './requests.ts'

/** Several instances of a function in one process: each has its own modules and serves one request at a time. */
export type InstancesOrder = {
  bundleFile: string
  /** The first event for each instance, which warms it up. */
  warming: APIGatewayProxyEvent[]
  events: APIGatewayProxyEvent[]
}

/** The message that the process sends when all instances have answered. */
export type InstancesResult = { status: number; body: string; milliseconds: number }[]

const [order]: [InstancesOrder] = (await once(process, 'message')) as [InstancesOrder]
const handlers: Handler[] = []
for (const [index, warming] of order.warming.entries()) {
  const { handler } = await import(`${pathToFileURL(order.bundleFile).href}?instance=${index}`)
  handlers.push(handler)
  await handler(warming, contextOf('warming'))
}
process.send?.('loaded')
await once(process, 'message')
const results: InstancesResult = await Promise.all(
  order.events.map(async (event, index) => {
    const startedAt = performance.now()
    const answer = await handlers[index]?.(event, contextOf(`instance-${index}`))
    return {
      status: answer?.statusCode ?? 0,
      body: answer?.body ?? '',
      milliseconds: performance.now() - startedAt,
    }
  }),
)
process.send?.(results)
await once(process, 'disconnect')
process.exit(0)
