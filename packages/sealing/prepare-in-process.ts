import type { Certificate } from '#signing/ports.ts'
import { limits } from './limits.ts'
import type { PreparedDocument, SignatureSpace } from './prepare-document.ts'
import {
  end,
  giveBack,
  type PrepareProcess,
  ProcessEnded,
  startProcess,
  takeProcess,
} from './prepare-processes.ts'
import type { UnalterableReason } from './unalterable.ts'

/** The limits of a process, see `limits.ts`. */
type Bounds = Record<'prepareMilliseconds' | 'attachMilliseconds' | 'heapMegabytes' | 'residentBytes', number>

/**
 * Runs `prepareDocument` in a separate process with limits of time and memory: parsing has no pause, and a crafted file
 * can take forever or exhaust the memory. If a limit is reached or the process dies, another process with limits
 * attaches the document unchanged, without reading it. A process gets another document only if its last document was
 * extended or converted.
 *
 * @throws RangeError for a document over 50 MiB; Error if the document cannot even be attached
 */
export async function prepareInProcess(
  original: Uint8Array,
  certificate: Certificate,
  space: SignatureSpace,
  attachBecause: UnalterableReason | null = null,
  bounds: Bounds = limits,
): Promise<PreparedDocument> {
  if (original.length > limits.documentBytes) throw new RangeError('The document has more than 50 MiB.')
  const run = async (reason: UnalterableReason | null, milliseconds: number) => {
    const job = { certificate, space, attachBecause: reason, milliseconds }
    try {
      return await runOnce(original, job, takeProcess(bounds))
    } catch (error) {
      // An earlier document may have caused the end.
      if (error instanceof ProcessEnded && error.hadOthers)
        return runOnce(original, job, startProcess(bounds))
      throw error
    }
  }
  if (attachBecause !== null) return run(attachBecause, bounds.attachMilliseconds)
  try {
    return await run(null, bounds.prepareMilliseconds)
  } catch (error) {
    if (error instanceof TimeLimit) return run('too_complex', bounds.attachMilliseconds)
    if (!(error instanceof ProcessEnded)) throw error
    return run(reasonOf(error), bounds.attachMilliseconds)
  }
}

/** V8 aborts at its memory limit, and the process kills itself at its own limit. */
function reasonOf({ signal }: ProcessEnded): UnalterableReason {
  return signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGKILL' ? 'too_complex' : 'damaged'
}

class TimeLimit extends Error {
  override name = 'TimeLimit'
}

type Job = Parameters<ReturnType<typeof takeProcess>['prepare']>[1]

async function runOnce(original: Uint8Array, job: Job, process: PrepareProcess): Promise<PreparedDocument> {
  const limit = Promise.withResolvers<never>()
  const late = `The document was not prepared within ${job.milliseconds} ms.`
  const timer = setTimeout(() => limit.reject(new TimeLimit(late)), job.milliseconds)
  let isSound = false
  try {
    // The process ends itself a little later, in case this process dies.
    const preparing = process.prepare(original, {
      ...job,
      milliseconds: job.milliseconds + graceMilliseconds,
    })
    const prepared = await Promise.race([preparing, limit.promise])
    // A process that has read a harmful document gets no other one.
    isSound = prepared.form === 'appended' || prepared.form === 'converted'
    return prepared
  } finally {
    clearTimeout(timer)
    if (isSound) giveBack(process)
    else end(process)
  }
}

const graceMilliseconds = 5_000
