import { Worker } from 'node:worker_threads'
import type { Context } from 'aws-lambda'
import type { FunctionDeclaration } from '#functions/declaration.ts'

/** The message to a thread: an event and its time limit. */
export type Invocation = { id: number; event: unknown; requestId: string; milliseconds: number }

/** The message from a thread: the result, or the error. */
export type Outcome = { id: number; result?: unknown; error?: string }

/**
 * Runs a function that may need too much memory or time, which on Lambda ends its process. Here each invocation runs in
 * a thread. If it exceeds a limit, the thread is ended, and this process runs on. A thread is started when an event
 * finds none that is free; it is reused, for one event at a time.
 *
 * @param entry the module that exports `handler`
 * @returns the handler that runs it
 */
export function isolate(
  entry: URL,
  { name, memoryMegabytes, timeoutSeconds }: FunctionDeclaration,
): (event: unknown, context: Context) => Promise<unknown> {
  const idle: Worker[] = []
  let invocations = 0

  const start = (): Worker => {
    const worker = new Worker(new URL('./isolate-server.ts', import.meta.url), {
      name,
      workerData: { entry: entry.href },
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    })
    // A thread that fails while it is idle is not used again.
    worker.on('error', () => forget(worker))
    worker.on('exit', () => forget(worker))
    worker.unref()
    return worker
  }
  const forget = (worker: Worker): void => {
    const at = idle.indexOf(worker)
    if (at !== -1) idle.splice(at, 1)
  }

  return (event, context) => {
    const worker = idle.pop() ?? start()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    invocations += 1
    const invocation: Invocation = {
      id: invocations,
      event,
      requestId: context.awsRequestId,
      milliseconds: timeoutSeconds * 1_000,
    }
    const answer = ({ id, result, error }: Outcome): void => {
      if (id !== invocation.id) return
      // A thread can be reused after the function threw an error.
      idle.push(worker)
      if (error === undefined) resolve(result)
      else reject(new Error(error))
    }
    const die = (error: unknown): void =>
      reject(error instanceof Error ? error : new Error(`The thread of ${name} ended: ${String(error)}.`))
    const timer = setTimeout(() => {
      reject(new Error(`${name} did not answer within ${timeoutSeconds} s and was ended.`))
      void worker.terminate()
    }, invocation.milliseconds)

    worker.on('message', answer).once('error', die).once('exit', die)
    worker.postMessage(invocation)
    return promise.finally(() => {
      clearTimeout(timer)
      worker.off('message', answer).off('error', die).off('exit', die)
    })
  }
}
