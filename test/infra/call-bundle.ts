import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** A bundle and the events that it is called with, one after the other. */
export type Bundled = {
  name: string
  /** The deployed files. It lies where no `node_modules` is found. */
  folder: string
  events: readonly unknown[]
  timeoutSeconds: number
  memoryMegabytes: number
}

/** The result of a call. The answer of a function that streams is collected. */
export type Outcome = { result: unknown }

export type Called = {
  /** The names of the environment variables that were read while the bundle was loaded. */
  readAtStart: string[]
  outcomes: Outcome[]
  /** The error that the bundle threw when it was loaded or called. */
  error?: string
}

/**
 * Loads a bundle in a process of its own, and calls it.
 *
 * @param environment the whole environment of the process
 * @returns what it answered, and what it wrote to its log
 */
export async function callBundle(
  bundled: Bundled,
  environment: Record<string, string>,
): Promise<Called & { log: string }> {
  const child = fork(fileURLToPath(new URL('bundle-process.ts', import.meta.url)), {
    env: environment,
    cwd: bundled.folder,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    timeout: 240_000,
    killSignal: 'SIGKILL',
  })
  const output = Promise.all([child.stdout, child.stderr].map((stream) => text(stream as Readable)))
  const exited = once(child, 'close')
  let called: Called | undefined
  child.on('message', (message: Called) => {
    called = message
  })
  child.send(bundled)
  const [code] = await exited
  const log = (await output).join('')
  return { ...(called ?? { readAtStart: [], outcomes: [], error: `It ended with ${code}: ${log}` }), log }
}
