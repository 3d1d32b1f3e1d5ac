import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { limits } from './limits.ts'
import type { PreparedDocument } from './prepare-document.ts'
import type { PrepareRequest, PrepareResult } from './prepare-process.ts'

/** The limits of a process: its objects of JavaScript, and all its memory. */
export type ProcessBounds = { heapMegabytes: number; residentBytes: number }

/** A process of `prepare-process.ts`, which prepares one document at a time. */
export type PrepareProcess = {
  child: ChildProcess
  bounds: ProcessBounds
  /** How many documents it was given. */
  documents: number
  /** The memory that it had after the last one. */
  residentBytes: number
  /**
   * Gives it a document.
   *
   * @throws ProcessEnded if the process ends without an answer; Error if it answers with one
   */
  prepare: (original: Uint8Array, job: Omit<PrepareRequest, 'length'>) => Promise<PreparedDocument>
}

/** The process ended without an answer, by this signal if by one. `hadOthers`: it was given other documents before. */
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

/** Beside this module, or beside the bundle that this module is part of. */
const processFile = fileURLToPath(new URL(`./prepare-process${extname(import.meta.url)}`, import.meta.url))

const idle = new Map<PrepareProcess, NodeJS.Timeout>()

/** A process that waits, or a new one. It is the caller's until `giveBack` or `end`. */
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
 * Lets a process wait for another document, for a few seconds: to start one takes longer than to prepare a document. One that
 * has had many documents, or has much memory, is ended. A process that waits does not keep this one alive.
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

/** A new process. It is the caller's until `giveBack` or `end`. */
export function startProcess(bounds: ProcessBounds): PrepareProcess {
  const child = fork(processFile, [String(bounds.residentBytes)], {
    // Nothing there needs credentials.
    env: {},
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
  // Nobody waits for a process that ends while it is idle.
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
  // It ended, which its own event reports.
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
