import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Certificate } from '#signing/ports.ts'
import { limits } from './limits.ts'
import type { PreparedDocument, SignatureSpace } from './prepare-document.ts'
import type { UnalterableReason } from './unalterable.ts'

/** What the thread is given. */
export type PrepareJob = {
  original: Uint8Array
  certificate: Certificate
  space: SignatureSpace
  attachBecause: UnalterableReason | null
}

/** The limits of a thread, see `limits.ts`. */
export type Bounds = Record<
  'prepareMilliseconds' | 'attachMilliseconds' | 'heapMegabytes' | 'bufferBytes',
  number
>

/** What the thread answers: the document, or the message of an error that is not the document's fault. */
export type PrepareResult = { prepared: PreparedDocument } | { error: string }

/**
 * `prepareDocument` in a thread with limits of time and memory: pdf-lib parses without a pause, and a file can be made on
 * which that takes for ever. Where a limit is reached or the thread dies, the document is attached unchanged, in another
 * thread with limits, which reads nothing of it.
 *
 * @throws RangeError for a document over 50 MiB; Error where the document cannot even be attached
 */
export async function prepareInThread(
  original: Uint8Array,
  certificate: Certificate,
  space: SignatureSpace,
  attachBecause: UnalterableReason | null = null,
  bounds: Bounds = limits,
): Promise<PreparedDocument> {
  if (original.length > limits.documentBytes) throw new RangeError('The document has more than 50 MiB.')
  const job = { original, certificate, space }
  if (attachBecause !== null) return run({ ...job, attachBecause }, bounds.attachMilliseconds, bounds)
  try {
    return await run({ ...job, attachBecause }, bounds.prepareMilliseconds, bounds)
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    return run({ ...job, attachBecause: error.reason }, bounds.attachMilliseconds, bounds)
  }
}

/** The thread ended without an answer, and what that says of the document. */
class ThreadEnded extends Error {
  readonly reason: UnalterableReason

  constructor(reason: UnalterableReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ThreadEnded'
    this.reason = reason
  }
}

/** Beside this module, or beside the bundle that this module is part of. */
const threadFile = new URL(`./prepare-thread${extname(import.meta.url)}`, import.meta.url)

async function run(job: PrepareJob, milliseconds: number, bounds: Bounds): Promise<PreparedDocument> {
  // The thread gets a copy of its own, without which it would be copied twice.
  const original = new Uint8Array(job.original)
  const worker = new Worker(threadFile, {
    workerData: { ...job, original } satisfies PrepareJob,
    transferList: [original.buffer],
    // Nothing there needs credentials.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: bounds.heapMegabytes },
  })
  const { promise, resolve, reject } = Promise.withResolvers<PreparedDocument>()
  worker.once('message', (result: PrepareResult) => {
    if ('error' in result) reject(new Error(`The document was not prepared: ${result.error}`))
    else resolve(result.prepared)
  })
  worker.once('error', (error) => {
    const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    reject(new ThreadEnded(isMemory ? 'too_complex' : 'damaged', 'The thread failed.', error))
  })
  worker.once('exit', () => reject(new ThreadEnded('damaged', 'The thread ended.')))
  const timer = setTimeout(
    () => reject(new ThreadEnded('too_complex', `The document was not prepared within ${milliseconds} ms.`)),
    milliseconds,
  )
  const watch = watchMemory(worker, bounds, reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    clearInterval(watch)
    await worker.terminate()
  }
}

/** `resourceLimits` counts objects of JavaScript, but not the bytes of buffers. */
function watchMemory(
  worker: Worker,
  { bufferBytes }: Bounds,
  reject: (error: Error) => void,
): NodeJS.Timeout {
  let isAsking = false
  return setInterval(async () => {
    if (isAsking) return
    isAsking = true
    try {
      const { external_memory } = await worker.getHeapStatistics()
      if (external_memory > bufferBytes) {
        reject(new ThreadEnded('too_complex', 'The document needs too much memory.'))
      }
    } catch {
      // The thread has ended, which its own events report.
    } finally {
      isAsking = false
    }
  }, 50)
}
