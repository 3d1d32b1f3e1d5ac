import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { limits } from './limits.ts'
import type { PrepareJob, PrepareResult } from './prepare-thread.ts'

/** A thread of `prepare-thread.ts`, which prepares one document at a time. */
export type Thread = {
  worker: Worker
  /** The limit of its objects. */
  heapMegabytes: number
  /** How many documents it was given. */
  documents: number
  /**
   * Gives it a document. `job.original` moves to the thread: it must be alone in its buffer.
   *
   * @throws Error, with the thread's own as its cause, where the thread ends without an answer
   */
  prepare: (job: PrepareJob) => Promise<PrepareResult>
}

/** Beside this module, or beside the bundle that this module is part of. */
const threadFile = new URL(`./prepare-thread${extname(import.meta.url)}`, import.meta.url)

const idle = new Map<Thread, NodeJS.Timeout>()

/** A thread that waits, or a new one. It is the caller's until `giveBack` or `end`. */
export function takeThread(heapMegabytes: number): Thread {
  for (const [thread, timer] of idle) {
    if (thread.heapMegabytes !== heapMegabytes) continue
    clearTimeout(timer)
    idle.delete(thread)
    thread.worker.ref()
    return thread
  }
  return startThread(heapMegabytes)
}

/**
 * Lets a thread wait for another document, for a few seconds: to start one takes longer than to prepare a document. One that
 * has had many documents, or whose memory is not free again, is ended. A thread that waits does not keep the process alive.
 */
export async function giveBack(thread: Thread): Promise<void> {
  const { worker } = thread
  const memory = await worker.getHeapStatistics().catch(() => undefined)
  const isFree =
    memory !== undefined && memory.external_memory + memory.used_heap_size < limits.idleThreadBytes
  if (!isFree || thread.documents >= limits.documentsOfThread || idle.size >= limits.idleThreads) {
    await end(thread)
    return
  }
  worker.unref()
  idle.set(thread, setTimeout(() => end(thread), limits.idleThreadMilliseconds).unref())
}

/** Ends a thread, whatever it does. */
export async function end(thread: Thread): Promise<void> {
  clearTimeout(idle.get(thread))
  idle.delete(thread)
  await thread.worker.terminate()
}

function startThread(heapMegabytes: number): Thread {
  const worker = new Worker(threadFile, {
    // Nothing there needs credentials.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  let answer = Promise.withResolvers<PrepareResult>()
  const fail = (message: string, cause?: unknown) => {
    answer.reject(new Error(message, { cause }))
    idle.delete(thread)
  }
  worker.on('message', (result: PrepareResult) => answer.resolve(result))
  worker.on('error', (error) => fail('The thread failed.', error))
  worker.on('exit', () => fail('The thread ended.'))
  // Nobody waits for a thread that ends while it is idle.
  answer.promise.catch(() => {})
  const thread: Thread = {
    worker,
    heapMegabytes,
    documents: 0,
    prepare: (job) => {
      thread.documents += 1
      if (thread.documents > 1) answer = Promise.withResolvers()
      worker.postMessage(job, [job.original.buffer as ArrayBuffer])
      return answer.promise
    },
  }
  return thread
}
