import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Credentials } from '#infra/local/credentials.ts'
import { newDataFolder } from './data-folder.ts'

/** The whole service in a separate process, on a free port. */
export type Service = {
  baseUrl: string
  credentials: Credentials
  dataDir: string
  /** Variables that make this process use the same table. */
  environment: Record<string, string>
  /** Everything it has written to its standard output and error. */
  output: () => string
  /**
   * Stops it like Ctrl-C, and returns its exit code. Its data is removed, unless the caller chose the folder.
   *
   * @throws Error if a function used a right to the bucket that it does not have
   */
  stop: () => Promise<number>
  /** Ends it without warning, as a crash does; its data stays. */
  kill: () => Promise<void>
}

export type ServiceOptions = {
  /** The data folder; by default a new folder. */
  dataDir?: string
  commandLine?: string[]
  environment?: NodeJS.ProcessEnv
  /** Whether to start the beA simulator too. The default is false: it needs half as long to start as all the rest. */
  bea?: boolean
  /**
   * Whether workers run in threads, as with `npm start`. The default is false: each thread loads and compiles its own
   * copy of the code. Tests that make a worker take too much memory or time need them.
   */
  workerThreads?: boolean
}

/** Nothing listens at this address, and no simulator is started. */
const withoutBea = { BEA_GATEWAY_URL: 'http://127.0.0.1:9/' }

/**
 * Starts `infra/local/start.ts` and waits until it is ready.
 *
 * It runs under a guard that ends it when this process does, however that happens, so no test leaves it or its folder
 * behind.
 *
 * @throws Error with its output if it ends before it is ready
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const dataDir = options.dataDir ?? newDataFolder()
  const guarded = run({ ...options, dataDir }, options.dataDir === undefined ? dataDir : '')
  const exited = once(guarded.process, 'close').then(([code]) => Number(code))
  const baseUrl = await Promise.race([guarded.ready, exited.then(() => undefined)])
  if (baseUrl === undefined) throw new Error(guarded.output())

  const readJson = (name: string) => JSON.parse(readFileSync(join(dataDir, name), 'utf8'))
  const { pid, environment } = readJson('running.json')
  return {
    baseUrl,
    credentials: readJson('credentials.json'),
    dataDir,
    environment,
    output: guarded.output,
    stop: async () => {
      guarded.process.stdin.end()
      const code = await exited
      const [refusal] = /^The function \S+ lacks the right .*$/m.exec(guarded.output()) ?? []
      if (refusal !== undefined) throw new Error(refusal)
      return code
    },
    kill: async () => {
      process.kill(pid, 'SIGKILL')
      await exited
    },
  }
}

type Guarded = {
  process: ChildProcessByStdio<Writable, Readable, Readable>
  ready: Promise<string>
  output: () => string
}

const [guard, start] = ['test/support/guard.ts', 'infra/local/start.ts'].map((file) =>
  fileURLToPath(new URL(`../../${file}`, import.meta.url)),
)

/** The processors are busy with the tests, so that helper threads of the garbage collector only cost time. */
const collectInOneThread = ['--single-threaded-gc']

function run(
  {
    dataDir,
    commandLine = [],
    environment = {},
    bea = false,
    workerThreads = false,
  }: ServiceOptions & { dataDir: string },
  removed: string,
): Guarded {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', ...collectInOneThread]
  const [command = '', ...rest] = [...node, guard ?? '', removed, ...node, start ?? '', ...commandLine]
  const child = spawn(command, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PORT: '0',
      WORKER_THREADS: workerThreads ? 'on' : 'off',
      ...(bea ? {} : withoutBea),
      ...environment,
      LOCAL_DATA_DIR: dataDir,
    },
  })

  let output = ''
  const { promise: ready, resolve } = Promise.withResolvers<string>()
  const listen = (chunk: Buffer) => {
    output += chunk.toString()
    const [, baseUrl] = /^Ready: (\S+)$/m.exec(output) ?? []
    if (baseUrl !== undefined) resolve(baseUrl)
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  child.stdin.on('error', () => {})
  return { process: child, ready, output: () => output }
}
