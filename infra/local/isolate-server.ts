import { parentPort, workerData } from 'node:worker_threads'
import type { Invocation, Outcome } from './isolate.ts'

/** Runs one function inside the thread that `isolate.ts` starts. */
const { entry } = workerData as { entry: string }
const { handler } = (await import(entry)) as {
  handler: (event: unknown, context: object) => Promise<unknown>
}

parentPort?.on('message', async ({ id, event, requestId, milliseconds }: Invocation) => {
  const deadline = performance.now() + milliseconds
  const context = {
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  }
  const answer = (outcome: Outcome) => parentPort?.postMessage(outcome)
  try {
    answer({ id, result: await handler(event, context) })
  } catch (error) {
    answer({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
