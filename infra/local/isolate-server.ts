import { parentPort } from 'node:worker_threads'
import { asFunction } from './calling-function.ts'
import type { Invocation, Outcome } from './isolate.ts'

type Handler = (event: unknown, context: object) => Promise<unknown>

/** Runs functions inside the thread that `isolate.ts` starts. */
parentPort?.on('message', async ({ id, name, entry, event, requestId, milliseconds }: Invocation) => {
  const deadline = performance.now() + milliseconds
  const context = {
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  }
  const answer = (outcome: Outcome) => parentPort?.postMessage(outcome)
  try {
    const { handler } = (await import(entry)) as { handler: Handler }
    answer({ id, result: await asFunction(name, () => handler(event, context)) })
  } catch (error) {
    answer({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
