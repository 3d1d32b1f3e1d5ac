import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { attempted } from '#kernel/attempted.ts'
import { CannotStart } from './cannot-start.ts'
import { configuredEndpoint } from './configured-endpoint.ts'
import type { GuardedDatabase } from './database-guard.ts'
import type { Credentials } from './emulators/signature.ts'

/** The DynamoDB of a run. */
export type LocalDatabase = {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint: string
  /** Whether this process started it, on the table file; then it ends with this process. */
  isOurs: boolean
  /** The address at which programs of this machine reach it without its guard; undefined if they cannot. */
  openAt?: string | undefined
  /** Resolves with the reason if it ends before `stop` is called. */
  died: Promise<string>
  stop: () => Promise<void>
}

/**
 * Uses the DynamoDB that the environment names, if it names one. Otherwise it starts dynoxide on `tableFile` and a
 * free port of the loopback interface: the binary of the optional dependency for this platform, or the one on the PATH.
 * It ends with this process. Only calls that are signed with these credentials reach it.
 *
 * @throws CannotStart if there is no binary, or if it does not start
 */
export async function startDatabase(
  tableFile: string,
  credentials: Credentials,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<LocalDatabase> {
  const configured = configuredEndpoint('DYNAMODB', environment)
  if (configured)
    return { endpoint: configured, isOurs: false, died: new Promise(() => {}), stop: () => Promise.resolve() }

  const command = findBinary(environment)
  const wrapper = apart(environment)
  for (let attempt = 1; ; attempt += 1) {
    const address = wrapper === undefined ? addressWithoutBrowsers() : { host: '127.0.0.1', port: 8000 }
    const { host, port } = address
    const commandLine = ['serve', '--host', host, '--port', String(port), '--db-path', tableFile]
    const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 4_096 })
    await once(server, 'listening')
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const database = spawnGuarded(wrapper, { command, commandLine, address, credentials }, server)
    const failure = await untilListening(database)
    if (failure === undefined)
      return {
        endpoint,
        isOurs: true,
        openAt: wrapper === undefined ? `${host}:${port}` : undefined,
        ...supervised(database),
      }
    // Another process may have taken the port in between.
    if (wrapper !== undefined || !failure.includes('already in use') || attempt === maxAttempts)
      throw new CannotStart(
        `DynamoDB did not start on ${tableFile}: ${failure}\nIf the data is damaged, start with new data: npm start -- --fresh`,
      )
  }
}

const maxAttempts = 10

/**
 * Dynoxide checks neither signatures nor callers, so it runs in its own network namespace: only its guard reaches it.
 * A new namespace has no working loopback interface.
 *
 * @returns the command prefix; undefined if the system has no namespaces for unprivileged users
 */
function apart(environment: NodeJS.ProcessEnv): string[] | undefined {
  if (process.platform !== 'linux') return undefined
  const bringUp = 'PATH="$PATH:/usr/sbin:/sbin"; ip link set lo up || ifconfig lo up'
  const inside = ['--user', '--map-root-user', '--net', 'sh', '-c']
  const { status } = spawnSync('unshare', [...inside, bringUp], {
    stdio: 'ignore',
    timeout: 10_000,
    env: environment,
  })
  return status === 0 ? ['unshare', ...inside, `{ ${bringUp}; } && exec "$@"`, 'sh'] : undefined
}

/**
 * For systems without namespaces: a port to which no browser connects, for any page
 * (https://fetch.spec.whatwg.org/#port-blocking). If the system has several loopback addresses, it may be on any of
 * them.
 */
function addressWithoutBrowsers(): { host: string; port: number } {
  const any = () => randomInt(1, 255)
  const host = process.platform === 'linux' ? `127.${any()}.${any()}.${any()}` : '127.0.0.1'
  return { host, port: blockedPorts[randomInt(blockedPorts.length)] ?? 6_667 }
}

const blockedPorts = [4_190, 6_566, 6_665, 6_666, 6_667, 6_668, 6_669, 6_679, 6_697, 10_080]

type Guarded = ChildProcessByStdio<Writable, Readable, Readable> & ChildProcess

function findBinary(environment: NodeJS.ProcessEnv): string {
  const packageName = `@dynoxide/${process.platform}-${process.arch}`
  const fileName = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  const folders = [packageFolder(packageName), ...(environment.PATH ?? '').split(delimiter)].filter(
    (folder) => folder !== '',
  )
  const found = folders.map((folder) => join(folder, fileName)).find(isExecutable)
  if (found !== undefined) return found
  throw new CannotStart(
    [
      'There is no DynamoDB. One of these helps:',
      `  npm install --no-save ${packageName}    (npm ci leaves it out with --omit=optional)`,
      '  put a dynoxide binary on the PATH (https://github.com/nubo-db/dynoxide)',
      '  AWS_ENDPOINT_URL_DYNAMODB=http://localhost:8000 npm start    (DynamoDB Local; LocalStack listens on 4566)',
    ].join('\n'),
  )
}

function packageFolder(packageName: string): string {
  return attempted(() => dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`))) ?? ''
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Starts the database with its guard, which answers for `server`, in a separate process group: Ctrl-C then signals
 * only this process, which can finish open requests. The guard preloads nothing, so it has the clock of the database,
 * which corrects the clocks of clients.
 */
function spawnGuarded(wrapper: string[] = [], guarded: GuardedDatabase, server: Server): Guarded {
  const guard = fileURLToPath(new URL('database-guard.ts', import.meta.url))
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--max-semi-space-size=2', guard]
  const [command = '', ...commandLine] = [...wrapper, ...node]
  const { NODE_OPTIONS: _preloads, ...env } = process.env
  const database = spawn(command, commandLine, {
    detached: true,
    env,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  }) as Guarded
  database.send(guarded, server, () => server.close())
  return database
}

/** Waits until the database listens. @returns its output if it ended instead */
function untilListening(database: Guarded): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = ''
    const listen = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000)
      if (said.includes('listening on')) resolve(undefined)
    }
    database.stdout.on('data', listen)
    database.stderr.on('data', listen)
    database.once('close', (code) => resolve(said.trim() || `it ended with code ${code}`))
  })
}

function supervised(database: Guarded): Pick<LocalDatabase, 'died' | 'stop'> {
  let stopping = false
  const closed = once(database, 'close')
  return {
    died: new Promise((resolve) => {
      database.once('close', (code) => {
        if (!stopping) resolve(`DynamoDB ended by itself with code ${code}.`)
      })
    }),
    stop: async () => {
      stopping = true
      database.stdin.end()
      await closed
    },
  }
}
