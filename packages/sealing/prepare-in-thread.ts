import type { Worker } from 'node:worker_threads'
import type { Certificate } from '#signing/ports.ts'
import { limits } from './limits.ts'
import type { PreparedDocument, SignatureSpace } from './prepare-document.ts'
import type { PrepareJob } from './prepare-thread.ts'
import { end, giveBack, takeThread } from './prepare-threads.ts'
import type { UnalterableReason } from './unalterable.ts'

/** The limits of a thread, see `limits.ts`. */
export type Bounds = Record<
  'prepareMilliseconds' | 'attachMilliseconds' | 'heapMegabytes' | 'bufferBytes',
  number
>

/**
 * `prepareDocument` in a thread with limits of time and memory: pdf-lib parses without a pause, and a file can be made on
 * which that takes for ever. Where a limit is reached or the thread dies, the document is attached unchanged, in another
 * thread with limits, which reads nothing of it. A thread takes the next document only where the one before came out whole.
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

async function run(job: PrepareJob, milliseconds: number, bounds: Bounds): Promise<PreparedDocument> {
  const thread = takeThread(bounds.heapMegabytes)
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(
    () =>
      limit.reject(
        new ThreadEnded('too_complex', `The document was not prepared within ${milliseconds} ms.`),
      ),
    milliseconds,
  )
  const watch = watchMemory(thread.worker, bounds, limit.reject)
  let isSound = false
  try {
    // The thread gets a copy of its own, without which it would be copied twice.
    const preparing = thread.prepare({ ...job, original: new Uint8Array(job.original) })
    const result = await Promise.race([preparing.catch(asThreadEnded), limit.promise])
    if ('error' in result) throw new Error(`The document was not prepared: ${result.error}`)
    // What was made to harm a reader meets no other document.
    isSound = result.prepared.form === 'appended' || result.prepared.form === 'converted'
    return result.prepared
  } finally {
    clearTimeout(timer)
    clearInterval(watch)
    await (isSound ? giveBack(thread) : end(thread))
  }
}

function asThreadEnded(error: Error): never {
  const { cause } = error
  const isMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
  throw new ThreadEnded(isMemory ? 'too_complex' : 'damaged', error.message, cause)
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
