import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CannotStart } from './cannot-start.ts'

/** The DynamoDB of a run. */
export type LocalDatabase = {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`. */
  endpoint: string
  /** Whether this process started it, on the table file; it then ends with this process. */
  isOurs: boolean
  /** Resolves with the reason if it ends before `stop` is called. */
  died: Promise<string>
  stop: () => Promise<void>
}

/**
 * Uses the DynamoDB of `AWS_ENDPOINT_URL_DYNAMODB` if that is set. Otherwise it starts dynoxide on `tableFile` and a
 * free port of the loopback interface: the binary of the optional dependency for this platform, or the one on the PATH.
 * It ends with this process.
 *
 * @throws CannotStart if there is no binary, or if it does not start
 */
export async function startDatabase(
  tableFile: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<LocalDatabase> {
  const given = environment.AWS_ENDPOINT_URL_DYNAMODB
  if (given) return externalDatabase(given)

  const binary = findBinary(environment)
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort()
    const database = spawnGuarded(binary, [
      'serve',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--db-path',
      tableFile,
    ])
    const failure = await untilListening(database)
    if (failure === undefined)
      return { endpoint: `http://127.0.0.1:${port}`, isOurs: true, ...supervised(database) }
    // Another process may have taken the port in between.
    if (!failure.includes('already in use') || attempt === 3)
      throw new CannotStart(
        `DynamoDB did not start on ${tableFile}: ${failure}\nIf the data is damaged, start with new data: npm start -- --fresh`,
      )
  }
}

type Guarded = ChildProcessByStdio<Writable, Readable, Readable>

function externalDatabase(endpoint: string): LocalDatabase {
  if (!URL.canParse(endpoint))
    throw new CannotStart(`AWS_ENDPOINT_URL_DYNAMODB must be a URL, not "${endpoint}".`)
  if (new URL(endpoint).hostname.endsWith('.amazonaws.com')) {
    throw new CannotStart(
      'AWS_ENDPOINT_URL_DYNAMODB names AWS itself. npm start works on local data only: unset it.',
    )
  }
  return { endpoint, isOurs: false, died: new Promise(() => {}), stop: () => Promise.resolve() }
}

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
  try {
    return dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`))
  } catch {
    return ''
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A port of the loopback interface that is free at this moment. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The operating system gave no port.')
  return address.port
}

/** Starts it in its own process group: Ctrl-C then signals only this process, which can finish open requests. */
function spawnGuarded(binary: string, commandLine: string[]): Guarded {
  const guard = fileURLToPath(new URL('guard.ts', import.meta.url))
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', guard, binary, ...commandLine], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
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
