import { once } from 'node:events'
import { SHARE_ENV, Worker } from 'node:worker_threads'
import type { Context } from 'aws-lambda'
import type { FunctionDeclaration } from '#functions/declaration.ts'

/** The message to a thread: a function's name and module, an event and its time limit. */
export type Invocation = {
  id: number
  name: string
  entry: string
  event: unknown
  requestId: string
  milliseconds: number
}

/** The message from a thread: the result, or the error. */
export type Outcome = { id: number; result?: unknown; error?: string }

/** Threads that run functions which may need too much memory or time. On Lambda this ends a process, here a thread. */
export type Isolation = {
  /**
   * @param entry the module that exports `handler`
   * @returns the handler that runs it in a thread
   */
  isolate: (
    entry: URL,
    declaration: Pick<FunctionDeclaration, 'name' | 'timeoutSeconds'>,
  ) => (event: unknown, context: Context) => Promise<unknown>
}

export type IsolationOptions = {
  /** The memory limit of a thread. A thread that exceeds it is ended, and this process continues. */
  memoryMegabytes: number
  /**
   * A thread without work is ended after this time, with everything that it has loaded. Loading it again takes about
   * two seconds of CPU time.
   */
  idleMilliseconds?: number
  /** If events wait this long for one of `usualThreads`, one gets another thread: some functions take minutes. */
  patienceMilliseconds?: number
}

/** Each thread has its own copy of every module that its functions load: tens of megabytes. */
const usualThreads = 2

/**
 * A thread runs any function, one event at a time. It is started if an event finds no free thread, and loads what the
 * event needs.
 */
export function createIsolation(options: IsolationOptions): Isolation {
  const { memoryMegabytes, idleMilliseconds = 30_000, patienceMilliseconds = 15_000 } = options
  const idle: { worker: Worker; timer: NodeJS.Timeout }[] = []
  const waiting: ((worker: Worker | Promise<Worker>) => void)[] = []
  const threads = new Set<Worker>()
  let impatience: NodeJS.Timeout | undefined
  let invocations = 0

  /** The time limit of an event starts when its thread runs: on Lambda, a cold start does not count either. */
  const start = async (): Promise<Worker> => {
    const worker = new Worker(new URL('./isolate-server.ts', import.meta.url), {
      name: 'worker',
      // The local clock moves the time of all threads with a variable (E9).
      env: SHARE_ENV,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    })
    threads.add(worker)
    // A thread that fails while it is idle is not used again.
    worker.on('error', () => forget(worker)).on('exit', () => forget(worker))
    const online = once(worker, 'online')
    worker.unref()
    await online
    return worker
  }
  const forget = (worker: Worker): void => {
    const wasThere = threads.delete(worker)
    const at = idle.findIndex((one) => one.worker === worker)
    if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.timer)
    if (wasThere) waiting.shift()?.(start())
  }
  const end = (worker: Worker): void => {
    forget(worker)
    void worker.terminate()
  }
  const release = (worker: Worker): void => {
    const next = waiting.shift()
    if (next !== undefined) next(worker)
    else idle.push({ worker, timer: setTimeout(() => end(worker), idleMilliseconds).unref() })
  }
  /** A free thread, the last used one first, so that the others stay idle and can be ended. */
  const acquire = async (): Promise<Worker> => {
    const free = idle.pop()
    if (free !== undefined) {
      clearTimeout(free.timer)
      return free.worker
    }
    if (threads.size < usualThreads) return start()
    const { promise, resolve } = Promise.withResolvers<Worker>()
    waiting.push(resolve)
    impatience ??= setInterval(() => {
      if (waiting.length > 0) waiting.shift()?.(start())
      if (waiting.length > 0) return
      clearInterval(impatience)
      impatience = undefined
    }, patienceMilliseconds)
    return promise
  }

  const run = async (worker: Worker, invocation: Invocation): Promise<unknown> => {
    const { name } = invocation
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const answer = ({ id, result, error }: Outcome): void => {
      if (id !== invocation.id) return
      // A thread can be reused after the function threw an error.
      release(worker)
      if (error === undefined) resolve(result)
      else reject(new Error(error))
    }
    const die = (error: unknown): void =>
      reject(error instanceof Error ? error : new Error(`The thread of ${name} ended: ${String(error)}.`))
    const timer = setTimeout(() => {
      reject(new Error(`${name} did not answer within ${invocation.milliseconds / 1_000} s and was ended.`))
      end(worker)
    }, invocation.milliseconds)

    worker.on('message', answer).once('error', die).once('exit', die)
    worker.postMessage(invocation)
    return promise.finally(() => {
      clearTimeout(timer)
      worker.off('message', answer).off('error', die).off('exit', die)
    })
  }

  return {
    isolate:
      (entry, { name, timeoutSeconds }) =>
      async (event, { awsRequestId: requestId }) => {
        invocations += 1
        const id = invocations
        const milliseconds = timeoutSeconds * 1_000
        return run(await acquire(), { id, name, entry: entry.href, event, requestId, milliseconds })
      },
  }
}
