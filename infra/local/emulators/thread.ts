import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { SHARE_ENV, Worker } from 'node:worker_threads'
import { oneAfterAnother } from '#kernel/one-after-another.ts'

export type ThreadOptions = {
  /** The name in messages: `S3`. */
  name: string
  /** A module that listens on the `port` of its `workerData` and then posts its endpoint to the parent. */
  module: URL
  workerData?: object
  /** Called after a new thread has replaced one that ended. The data in its memory is lost. */
  onRestart?: () => Promise<void>
}

/** A service in its own thread. */
export type ServiceThread = {
  endpoint: string
  /** Resolves with the reason if it cannot be kept running. */
  died: Promise<string>
  /** Sends a message to the thread, and returns its next message. @throws Error if the thread ends meanwhile */
  ask: (question: string) => Promise<unknown>
  stop: () => Promise<void>
}

const maxRestarts = 5
const restartWindowMilliseconds = 60_000
const restartPauseMilliseconds = 100

/**
 * Starts a thread and keeps it running: if it ends by itself, a new one replaces it on the same port. If it ends five
 * times within a minute, `died` resolves.
 *
 * @throws Error with the reason if it does not start
 */
export async function startThread(options: ThreadOptions): Promise<ServiceThread> {
  const { promise: died, resolve: die } = Promise.withResolvers<string>()
  const ends: number[] = []
  const inTurn = oneAfterAnother()
  let isStopping = false
  let current = await run(options, 0)
  const { endpoint } = current
  watch()

  function watch(): void {
    void current.ended.then(async (reason) => {
      if (isStopping) return
      console.error(`The local ${options.name} ended and is started again:`, reason)
      await restart().catch((error: unknown) =>
        die(`The local ${options.name} does not start again: ${error}`),
      )
    })
  }

  async function restart(): Promise<void> {
    for (;;) {
      ends.push(performance.now())
      if (ends.filter((at) => at > performance.now() - restartWindowMilliseconds).length > maxRestarts)
        throw new Error(`It ended ${maxRestarts} times within a minute.`)
      await sleep(restartPauseMilliseconds)
      if (isStopping) return
      const started = await run(options, Number(new URL(endpoint).port)).catch((error: unknown) => {
        console.error(`The local ${options.name} did not start again:`, error)
      })
      if (started === undefined) continue
      current = started
      watch()
      if (isStopping) await current.worker.terminate()
      else await options.onRestart?.()
      return
    }
  }

  return {
    endpoint,
    died,
    ask: (question) =>
      inTurn('ask', async () => {
        const { worker, ended } = current
        const answered = once(worker, 'message')
        worker.postMessage(question)
        const [answer] = await Promise.race([answered, ended.then((reason) => Promise.reject(reason))])
        return answer
      }),
    stop: async () => {
      isStopping = true
      await current.worker.terminate()
    },
  }
}

type Running = { worker: Worker; endpoint: string; ended: Promise<unknown> }

/** Starts the thread once. `ended` resolves with the error that ended it, or its exit code. */
function run({ name, module, workerData }: ThreadOptions, port: number): Promise<Running> {
  const worker = new Worker(module, { name, env: SHARE_ENV, workerData: { ...workerData, port } })
  const { promise, resolve, reject } = Promise.withResolvers<Running>()
  const ended = new Promise<unknown>((end) => {
    // The listener stays as long as the thread: without it, an error would end the process.
    worker.on('error', end).on('messageerror', end)
    worker.once('exit', (code) => end(new Error(`It ended with code ${code}.`)))
  })
  worker.once('message', (endpoint: string) => resolve({ worker, endpoint, ended }))
  void ended.then(reject)
  return promise
}
