import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { isBusy, lockFile } from '#infra/file-lock.ts'
import { writeWhole } from '#infra/write-whole.ts'
import { attempted } from '#kernel/attempted.ts'
import { oldestLayout, tableLayout } from '#store/table.ts'
import { CannotStart } from './cannot-start.ts'

/** The data that the folder contains. False for the data of a service that the environment names. */
type Kept = { table: boolean; bucket: boolean; key: boolean }

type Contents = 'nothing' | 'unfinished' | 'data'

/** An upgrade of the data in the folder. `copy`: the folder with the data before the upgrade. */
export type LocalUpgrade = { from: number; copy: string }

/** The data folder of a local environment, locked by this process. */
export type DataDir = {
  /** Absolute path of the file with the table. */
  tableFile: string
  /** Absolute path of the folder with the bucket. */
  filesDir: string
  /** Absolute path of `credentials.json`. */
  credentialsFile: string
  /** Absolute path of the folder that SES writes messages to. */
  mailDir: string
  /** Absolute path of the folder with the demo network of beA: its certificates and messages. */
  beaDir: string
  /** Absolute path of the folder for temporary files, which is empty now: a killed run may have left some. */
  tmpDir: string
  /** Absolute path of the key that encrypts secrets of users. */
  keyFile: string
  /** Absolute path of the key that seals documents. A run without one creates a new key. */
  signingKeyFile: string
  /**
   * The state that earlier runs left: nothing, an unfinished start, or data.
   *
   * @throws CannotStart if a part of the data is missing, or if a part is here although the environment names another
   */
  contents: (kept: Kept) => Contents
  /**
   * Begins the upgrade of data with an older layout, or continues an upgrade that was killed. First it copies the
   * data once, into a folder inside of this one, which is writable and on the same disk. From then on an older
   * release refuses the data: it could write to places that the upgrade has already passed. Undefined if the data has
   * the layout of this release.
   *
   * @param onCopy is called with the target folder before the data is copied
   * @throws CannotStart if the data cannot be copied; it is then unchanged
   */
  beginUpgrade: (onCopy: (copy: string) => void) => Promise<LocalUpgrade | undefined>
  /** Marks the upgrade as finished. */
  endUpgrade: () => void
  /** Removes the table, the bucket, the messages and everything that belongs to them. Other files in the folder stay. */
  clear: () => void
  /** Marks the folder as unfinished. Call it before any new data is created. */
  markUnfinished: () => void
  /** Marks the new data as complete. Call it after the credentials are written. */
  markFinished: () => void
  /** The milliseconds by which earlier runs have moved the time of the data; undefined if none has. */
  clockOffset: () => number | undefined
  /** Stores the offset for the next start. */
  keepClockOffset: (milliseconds: number) => void
  /** Writes `running.json` (`{pid, environment}`), with which other commands find this run and its table. */
  describeRun: (environment: Record<string, string>) => void
  /** Releases the lock. The operating system releases it too when the process ends in any way. */
  release: () => void
}

/**
 * Creates the folder and its parents one by one. With `recursive`, Node would try for ever in places where the system
 * does not allow folders, such as `/proc`.
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
 * Creates the folder if it is missing, and locks it for this process.
 *
 * @param options.fresh the data in the folder will be removed, so it does not matter which release wrote it
 * @throws CannotStart if the folder cannot be written or is locked by another local environment, or if a newer release
 * or a too old one wrote its data. Nothing in the folder is changed then.
 */
export async function openDataDir(path: string, { fresh = false } = {}): Promise<DataDir> {
  const inside = (name: string) => join(path, name)
  if (!fresh) requireLayout(path, inside)
  try {
    makeFolder(resolve(path))
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new CannotStart(`${cannotWrite(path)} (${String(error)})`, error)
  }

  const lock = takeLock(path)
  const files = {
    table: inside(tableFileName),
    bucket: inside('s3'),
    credentials: inside('credentials.json'),
    finished: inside(marks.finished),
    layout: inside(marks.layout),
    unfinished: inside(marks.unfinished),
    upgrade: inside(upgradeFileName),
    run: inside('running.json'),
    clock: inside('clock-offset'),
    key: inside('secrets.key'),
    signingKey: inside('signing.key'),
    mail: inside('mail'),
    bea: inside('bea'),
    tmp: inside('run-tmp'),
  }
  await waitForEarlierDatabase(files.table)
  const clearTmp = () => rmSync(files.tmp, { recursive: true, force: true })
  clearTmp()
  mkdirSync(files.tmp, { mode: 0o700 })
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
    signingKeyFile: files.signingKey,
    mailDir: files.mail,
    beaDir: files.bea,
    tmpDir: files.tmp,
    contents: (kept) => contentsOf(path, files, kept),
    beginUpgrade: async (onCopy) => {
      const from = Number(layoutIn(inside))
      const begun = upgradeIn(path)
      if (from === tableLayout) return begun
      const isCopied = begun !== undefined && existsSync(begun.copy)
      const upgrade = isCopied ? begun : await copyAside(path, from, onCopy)
      writeWhole(files.layout, String(tableLayout))
      return upgrade
    },
    endUpgrade: () => rmSync(files.upgrade, { force: true }),
    clear: () => {
      // This comes first, so that an interrupted removal counts as an unfinished start.
      markUnfinished()
      const { finished, key, signingKey, table, upgrade, clock } = files
      for (const file of [finished, upgrade, clock, key, signingKey, table, `${table}-wal`, `${table}-shm`])
        rmSync(file, { force: true })
      for (const folder of [files.bucket, files.mail, files.bea])
        rmSync(folder, { force: true, recursive: true })
    },
    markUnfinished,
    markFinished: () => {
      writeFileSync(files.finished, String(tableLayout))
      rmSync(files.unfinished, { force: true })
    },
    clockOffset: () => {
      const text = read(files.clock)
      return text === undefined ? undefined : Number(text)
    },
    keepClockOffset: (milliseconds) => writeWhole(files.clock, String(milliseconds)),
    describeRun,
    release: () => {
      clearTmp()
      rmSync(files.run, { force: true })
      lock.close()
    },
  }
}

type Files = Record<'table' | 'bucket' | 'credentials' | 'unfinished' | 'key' | 'mail', string>

/**
 * The credentials are written last, and their keys are stored nowhere else. So a folder with credentials has data. An
 * unfinished folder without credentials was never used.
 */
function contentsOf(path: string, files: Files, kept: Kept): Contents {
  const parts = (['table', 'bucket', 'key'] as const).filter((part) => kept[part])
  const missing = parts.filter((part) => !existsSync(files[part]))
  const hasCredentials = existsSync(files.credentials)
  if (!hasCredentials && existsSync(files.unfinished)) return 'unfinished'
  requireNothingElsewhere(path, files, kept)
  // Sent messages are optional, but if they exist, somebody has used the data.
  if (!hasCredentials && missing.length === parts.length && !existsSync(files.mail)) return 'nothing'
  if (hasCredentials && missing.length === 0) return 'data'
  const names = [...missing.map((part) => files[part]), ...(hasCredentials ? [] : [files.credentials])]
  throw new CannotStart(
    `The data in ${path} is damaged: ${names.map((file) => basename(file)).join(', ')} ${names.length > 1 ? 'are' : 'is'} missing. ` +
      'Nothing was changed. Restore what is missing, choose another folder with LOCAL_DATA_DIR, or delete this data and start with new data: npm start -- --fresh',
  )
}

const variables = {
  table: 'AWS_ENDPOINT_URL_DYNAMODB',
  bucket: 'AWS_ENDPOINT_URL_S3',
  key: 'AWS_ENDPOINT_URL_KMS',
} as const

/**
 * The data in the folder belongs to its credentials. With another table, bucket or key, new credentials would be
 * written, and the keys of the data in the folder would be lost.
 */
function requireNothingElsewhere(path: string, files: Files, kept: Kept): void {
  const part = (['table', 'bucket', 'key'] as const).find((part) => !kept[part] && existsSync(files[part]))
  if (part === undefined) return
  throw new CannotStart(
    `The data in ${path} has its ${part} in ${basename(files[part])}, but ${variables[part]} names another one. ` +
      'Nothing was changed. Unset it, or choose another folder with LOCAL_DATA_DIR.',
  )
}

const tableFileName = 'dynamodb.sqlite'
const upgradeFileName = 'upgrade.json'
/** `layout`: the layout of the data, or the target layout of an unfinished upgrade. */
const marks = { layout: 'table-layout', finished: 'demo-complete', unfinished: 'demo-unfinished' } as const

type Inside = (name: string) => string

/**
 * Older folders have the layout in the file that marks a finished start. A mark that exists but cannot be read counts
 * as damaged.
 */
function layoutIn(inside: Inside): string | undefined {
  return existsSync(inside(marks.layout)) ? (read(inside(marks.layout)) ?? '') : read(inside(marks.finished))
}

/**
 * Reads only the marks, before anything in the folder is opened: a database changes its files when it is opened.
 */
function requireLayout(path: string, inside: Inside): void {
  const mark = layoutIn(inside)
  if (mark === undefined && !existsSync(inside(tableFileName))) return
  // An unfinished folder without credentials was never used. If the credentials were lost, `contents` reports it later,
  // but a folder of a newer release stays untouched in any case.
  const hasCredentials = existsSync(inside('credentials.json'))
  if (!hasCredentials && (existsSync(inside(marks.unfinished)) || !(Number(mark) > tableLayout))) return
  const wayOut =
    'Nothing was changed. Choose another folder with LOCAL_DATA_DIR, or start with new data: npm start -- --fresh'
  if (mark === undefined || !/^[1-9]\d{0,5}$/.test(mark))
    throw new CannotStart(
      `${inside(marks.layout)} is ${mark === undefined ? 'missing' : 'damaged'}: it says which layout the data in ${path} has. This release reads layouts ${oldestLayout} to ${tableLayout}. ${wayOut}`,
    )
  const layout = Number(mark)
  if (layout > tableLayout)
    throw new CannotStart(
      `The data in ${path} has layout ${layout}, of a newer release. This release reads up to layout ${tableLayout}. ${wayOut}`,
    )
  if (layout < oldestLayout)
    throw new CannotStart(
      `The data in ${path} has layout ${layout}. This release reads layouts ${oldestLayout} to ${tableLayout}. ${wayOut}`,
    )
}

/**
 * The upgrade that was started in the folder. A damaged note counts as missing: the table itself stores the progress of
 * its upgrade.
 */
function upgradeIn(path: string): LocalUpgrade | undefined {
  return attempted(() => {
    const { from, copy } = JSON.parse(readFileSync(join(path, upgradeFileName), 'utf8'))
    return { from: Number(from), copy: join(path, String(copy)) }
  })
}

/** Copies the data in the folder, including linked parts, and records that an upgrade has begun. */
async function copyAside(path: string, from: number, onCopy: (copy: string) => void): Promise<LocalUpgrade> {
  const first = `layout-${from}`
  let name = first
  for (let number = 2; existsSync(join(path, name)); number += 1) name = `${first}-${number}`
  const [copy, part, note] = [join(path, name), join(path, `${name}.part`), join(path, upgradeFileName)]
  onCopy(copy)
  try {
    rmSync(part, { recursive: true, force: true })
    mkdirSync(part, { mode: 0o700 })
    const entries = readdirSync(path).filter((entry) => !notOfTheData.test(entry))
    for (const entry of entries)
      await cp(join(path, entry), join(part, entry), {
        recursive: true,
        dereference: true,
        preserveTimestamps: true,
        mode: constants.COPYFILE_FICLONE,
      })
    // The copy must be on the disk before anything changes. If the command is missing, the system writes it later.
    spawnSync('sync')
    // Recorded first: if the start is killed here, the next start knows about the copy.
    writeWhole(note, JSON.stringify({ from, copy: name }))
    renameSync(part, copy)
    return { from, copy }
  } catch (error) {
    for (const left of [part, note, `${note}.part`]) rmSync(left, { recursive: true, force: true })
    throw new CannotStart(
      `The data in ${path} has layout ${from} and must be upgraded, but it could not be copied to ${copy} first (${String(error)}). Nothing was changed.`,
      error,
    )
  }
}

/** Files of a run, and earlier copies. */
const notOfTheData = /^(lock\.sqlite(-journal)?|running\.json|run-tmp|upgrade\.json(\.part)?|layout-\d.*)$/

/** @throws CannotStart if another local environment has the lock, or if the folder cannot be written */
function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    lock = lockFile(join(path, 'lock.sqlite'))
  } catch (error) {
    throw new CannotStart(`${cannotWrite(path)} (${String(error)})`, error)
  }
  if (lock !== undefined) return lock
  const [, pid] = /"pid":(\d+)/.exec(read(join(path, 'running.json')) ?? '') ?? []
  throw new CannotStart(
    `Another local environment${pid ? ` (process ${pid})` : ''} uses the data in ${path}. ` +
      'Stop it, or choose another folder and port: PORT=3001 LOCAL_DATA_DIR=.local-2 npm start',
  )
}

const patienceMilliseconds = 5_000

/**
 * After a run was killed, its database ends a moment later and removes the table's log by name. It must end before a
 * new database uses that name. Only a process that is alone on the file can leave write-ahead mode. So this function
 * tries to leave it until it succeeds.
 */
async function waitForEarlierDatabase(tableFile: string): Promise<void> {
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

/** A damaged file counts as not in use: the database reports it later, unless it is deleted first. */
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
  return attempted(() => readFileSync(file, 'utf8'))
}
