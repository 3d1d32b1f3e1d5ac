import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { limits } from './limits.ts'
import type { PreparedDocument } from './prepare-document.ts'
import type { PrepareRequest, PrepareResult } from './prepare-process.ts'

/** The limits of a process: its JavaScript heap, and its total memory. */
type ProcessBounds = { heapMegabytes: number; residentBytes: number }

/** A process of `prepare-process.ts`, which prepares one document at a time. */
export type PrepareProcess = {
  child: ChildProcess
  bounds: ProcessBounds
  /** How many documents it was given. */
  documents: number
  /** Its memory after the last document. */
  residentBytes: number
  /**
   * Gives it a document.
   *
   * @throws ProcessEnded if the process ends without an answer; Error if its answer is an error
   */
  prepare: (original: Uint8Array, job: Omit<PrepareRequest, 'length'>) => Promise<PreparedDocument>
}

/**
 * The process ended without an answer. `signal`: the signal that ended it, if any. `hadOthers`: it had other documents
 * before.
 */
export class ProcessEnded extends Error {
  readonly signal: NodeJS.Signals | null
  readonly hadOthers: boolean

  constructor(
    signal: NodeJS.Signals | null,
    { hadOthers, ...options }: { hadOthers: boolean; cause?: unknown },
  ) {
    super(`The process ended without an answer (${signal ?? 'no signal'}).`, options)
    this.name = 'ProcessEnded'
    this.signal = signal
    this.hadOthers = hadOthers
  }
}

const idle = new Map<PrepareProcess, NodeJS.Timeout>()

/** An idle process, or a new one. It belongs to the caller until `giveBack` or `end`. */
export function takeProcess(bounds: ProcessBounds): PrepareProcess {
  for (const [process, timer] of idle) {
    if (process.bounds.heapMegabytes !== bounds.heapMegabytes) continue
    if (process.bounds.residentBytes !== bounds.residentBytes) continue
    clearTimeout(timer)
    idle.delete(process)
    keepsAlive(process.child, true)
    return process
  }
  return startProcess(bounds)
}

/**
 * Lets a process wait a few seconds for another document, because starting one takes longer than preparing a document.
 * A process that has had many documents or uses much memory is ended. A waiting process does not keep this one alive.
 */
export function giveBack(process: PrepareProcess): void {
  const isSmall = process.residentBytes < limits.idleProcessBytes
  if (!isSmall || process.documents >= limits.documentsOfProcess || idle.size >= limits.idleProcesses) {
    end(process)
    return
  }
  keepsAlive(process.child, false)
  idle.set(process, setTimeout(() => end(process), limits.idleProcessMilliseconds).unref())
}

/** Ends a process, whatever it does. */
export function end(process: PrepareProcess): void {
  clearTimeout(idle.get(process))
  idle.delete(process)
  process.child.kill('SIGKILL')
}

/** The variables of a process. Nothing there needs credentials; Node may need the path of its libraries, which Lambda sets. */
const { LD_LIBRARY_PATH } = process.env
const environment = LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }

/** A new process. It belongs to the caller until `giveBack` or `end`. */
export function startProcess(bounds: ProcessBounds): PrepareProcess {
  // Located beside this module, or beside the bundle that contains it.
  const file = fileURLToPath(new URL(`./prepare-process${extname(import.meta.url)}`, import.meta.url))
  const child = fork(file, [String(bounds.residentBytes)], {
    env: environment,
    execArgv: [`--max-old-space-size=${bounds.heapMegabytes}`],
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  })
  let answer = Promise.withResolvers<PrepareResult>()
  const fail = (error: Error) => {
    answer.reject(error)
    clearTimeout(idle.get(process))
    idle.delete(process)
  }
  const ended = (signal: NodeJS.Signals | null, cause?: unknown) =>
    new ProcessEnded(signal, { hadOthers: process.documents > 1, cause })
  // Nothing waits for a process that ends while it is idle.
  answer.promise.catch(() => {})
  child.on('message', (result: PrepareResult) => answer.resolve(result))
  child.on('error', (cause) =>
    fail(
      child.pid === undefined
        ? new Error('The process could not be started.', { cause })
        : ended(null, cause),
    ),
  )
  child.on('exit', (_code, signal) => fail(ended(signal)))
  // The `exit` event reports this.
  child.stdin?.on('error', () => {})
  const process: PrepareProcess = {
    child,
    bounds,
    documents: 0,
    residentBytes: 0,
    prepare: async (original, job) => {
      process.documents += 1
      if (process.documents > 1) answer = Promise.withResolvers()
      child.send({ ...job, length: original.length } satisfies PrepareRequest, () => {})
      child.stdin?.write(original)
      const result = await answer.promise
      if ('error' in result) throw new Error(`The document was not prepared: ${result.error}`)
      process.residentBytes = result.residentBytes
      const { prepared } = result
      const parts = prepared.form === 'appended' ? [original, prepared.bytes] : [prepared.bytes]
      const { buffer, byteOffset, length } = Buffer.concat(parts)
      return { ...prepared, bytes: new Uint8Array(buffer, byteOffset, length) }
    },
  }
  return process
}

function keepsAlive(child: ChildProcess, isWanted: boolean): void {
  for (const handle of [child, child.channel, child.stdin as Socket | null]) {
    if (isWanted) handle?.ref()
    else handle?.unref()
  }
}
