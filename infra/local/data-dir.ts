import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { tableLayout } from '#store/table.ts'
import { CannotStart } from './cannot-start.ts'

/** What lies in the folder: not what a service keeps that the environment names. */
export type Kept = { table: boolean; bucket: boolean; key: boolean }

export type Contents = 'nothing' | 'unfinished' | 'data'

/** The folder of one local environment, held by this process alone. */
export type DataDir = {
  /** Absolute path of the file that the table lives in. */
  tableFile: string
  /** Absolute path of the folder that the bucket lives in. */
  filesDir: string
  /** Absolute path of `credentials.json`. */
  credentialsFile: string
  /** Absolute path of the folder that SES writes messages to. */
  mailDir: string
  /** Absolute path of the key that secrets of users are sealed with. */
  keyFile: string
  /**
   * What earlier runs left: nothing, a beginning that was never finished, or data.
   *
   * @throws CannotStart when something is missing of what belongs together, or lies here though the environment names
   *   another one, or the data was stored in a layout of the table that is no longer read.
   */
  contents: (kept: Kept) => Contents
  /** Removes the table, the bucket, the messages and everything that belongs to it, and nothing else that lies in the folder. */
  clear: () => void
  /** Says that new data is being made, before anything of it is there. */
  markUnfinished: () => void
  /** Says that the new data is complete, when its credentials are written. */
  markFinished: () => void
  /** Writes `running.json`, by which other commands find this run and its table: `{pid, environment}`. */
  describeRun: (environment: Record<string, string>) => void
  /** Lets another process take the folder. A process that dies lets go of it too, however it dies. */
  release: () => void
}

/**
 * Makes the folder and those above it one by one. Told to make them all, Node tries without end where the system
 * says that there is no such place, as below `/proc`.
 */
function makeFolder(path: string): void {
  const isFolder = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (isFolder()) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!isFolder()) throw error
  }
}

/**
 * Creates the folder where it is missing and takes it for this process.
 *
 * @throws CannotStart when it cannot be written, or another local environment holds it.
 */
export async function openDataDir(path: string): Promise<DataDir> {
  const inside = (name: string) => join(path, name)
  try {
    makeFolder(resolve(path))
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new CannotStart(`${cannotWrite(path)} (${String(error)})`, error)
  }

  const lock = takeLock(path)
  const files = {
    table: inside('dynamodb.sqlite'),
    bucket: inside('s3'),
    credentials: inside('credentials.json'),
    finished: inside('demo-complete'),
    layout: inside('table-layout'),
    unfinished: inside('demo-unfinished'),
    run: inside('running.json'),
    key: inside('secrets.key'),
    mail: inside('mail'),
  }
  await waitForEarlierEngine(files.table)
  const describeRun = (environment: Record<string, string>) =>
    writeFileSync(files.run, JSON.stringify({ pid: process.pid, environment }), { mode: 0o600 })
  describeRun({})
  const markUnfinished = () => {
    writeFileSync(files.unfinished, '')
    writeFileSync(files.layout, String(tableLayout))
    rmSync(files.credentials, { force: true })
  }

  return {
    tableFile: files.table,
    filesDir: files.bucket,
    credentialsFile: files.credentials,
    keyFile: files.key,
    mailDir: files.mail,
    contents: (kept) => contentsOf(path, files, kept),
    clear: () => {
      // First of all, so that a removal that is cut short counts as an unfinished beginning.
      markUnfinished()
      for (const file of [files.finished, files.key, files.table, `${files.table}-wal`, `${files.table}-shm`])
        rmSync(file, { force: true })
      for (const folder of [files.bucket, files.mail]) rmSync(folder, { force: true, recursive: true })
    },
    markUnfinished,
    markFinished: () => {
      writeFileSync(files.finished, String(tableLayout))
      rmSync(files.unfinished, { force: true })
    },
    describeRun,
    release: () => {
      rmSync(files.run, { force: true })
      lock.close()
    },
  }
}

type Files = Record<
  'table' | 'bucket' | 'credentials' | 'finished' | 'unfinished' | 'layout' | 'key' | 'mail',
  string
>

/**
 * Credentials are written last and hold keys that nothing else holds: where they are, there is data, and where they
 * are not, nobody can have worked on what the mark of an unfinished beginning lies beside.
 */
function contentsOf(path: string, files: Files, kept: Kept): Contents {
  const parts = (['table', 'bucket', 'key'] as const).filter((part) => kept[part])
  const missing = parts.filter((part) => !existsSync(files[part]))
  const hasCredentials = existsSync(files.credentials)
  if (!hasCredentials && existsSync(files.unfinished)) return 'unfinished'
  requireNothingElsewhere(path, files, kept)
  // Messages that were sent are no part that must be there, but where they are, an office worked.
  if (!hasCredentials && missing.length === parts.length && !existsSync(files.mail)) return 'nothing'
  if (hasCredentials && missing.length === 0) {
    requireLayout(path, files)
    return 'data'
  }
  const names = [...missing.map((part) => files[part]), ...(hasCredentials ? [] : [files.credentials])]
  throw new CannotStart(
    `The data in ${path} is damaged: ${names.map((file) => basename(file)).join(', ')} ${names.length > 1 ? 'are' : 'is'} missing. ` +
      'Nothing was changed. Put back what is missing, choose another folder with LOCAL_DATA_DIR, or throw this data away and begin with new: npm start -- --fresh',
  )
}

const variables = {
  table: 'AWS_ENDPOINT_URL_DYNAMODB',
  bucket: 'AWS_ENDPOINT_URL_S3',
  key: 'AWS_ENDPOINT_URL_KMS',
} as const

/**
 * What lies in the folder belongs to its credentials. Beside another table, bucket or key they would be made anew, and
 * the keys of the data in the folder would be lost.
 */
function requireNothingElsewhere(path: string, files: Files, kept: Kept): void {
  const part = (['table', 'bucket', 'key'] as const).find((part) => !kept[part] && existsSync(files[part]))
  if (part === undefined) return
  throw new CannotStart(
    `The data in ${path} has its ${part} in ${basename(files[part])}, but ${variables[part]} names another one. ` +
      'Nothing was changed. Unset it, or choose another folder with LOCAL_DATA_DIR.',
  )
}

/** Folders that were begun before the layout had a file of its own name it in the mark of a finished beginning. */
function requireLayout(path: string, { layout, finished }: Files): void {
  if ((read(layout) ?? read(finished)) === String(tableLayout)) return
  throw new CannotStart(
    `The data in ${path} was stored by another version of Aktenlage, which this one cannot read. ` +
      'Nothing was changed. Begin with new data: npm start -- --fresh, or choose another folder with LOCAL_DATA_DIR.',
  )
}

/**
 * An open exclusive transaction on an empty database is a lock that the operating system takes back when its
 * holder dies; a file with a process id in it would outlive a `kill -9` and name whoever got that id next.
 */
function takeLock(path: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(join(path, 'lock.sqlite'), { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    if (!isBusy(error)) throw new CannotStart(`${cannotWrite(path)} (${String(error)})`, error)
    const [, pid] = /"pid":(\d+)/.exec(read(join(path, 'running.json')) ?? '') ?? []
    throw new CannotStart(
      `Another local environment${pid ? ` (process ${pid})` : ''} uses the data in ${path}. ` +
        'Stop it, or choose another folder and port: PORT=3001 LOCAL_DATA_DIR=.local-2 npm start',
      error,
    )
  }
}

function isBusy(error: unknown): boolean {
  const sqliteBusy = 5
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}

const patienceMilliseconds = 5_000

/**
 * The database of a run that was killed ends a moment later, and in doing so removes the table's log by its name:
 * it must be gone before that name is used again. Leaving write-ahead mode needs the file to oneself, so it
 * waits for exactly that.
 */
async function waitForEarlierEngine(tableFile: string): Promise<void> {
  if (!existsSync(tableFile)) return
  const database = new DatabaseSync(tableFile)
  const until = performance.now() + patienceMilliseconds
  try {
    while (isInUse(database)) {
      if (performance.now() > until)
        throw new CannotStart(`Another process works on ${tableFile}. End it first.`)
      await setTimeout(50)
    }
  } finally {
    database.close()
  }
}

/** A file that is damaged is in nobody's use; the database will report it, unless it is thrown away first. */
function isInUse(database: DatabaseSync): boolean {
  try {
    database.exec('PRAGMA journal_mode = DELETE')
    return false
  } catch (error) {
    return isBusy(error)
  }
}

function cannotWrite(path: string): string {
  return `The data folder ${path} cannot be written. Choose another one with LOCAL_DATA_DIR.`
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
