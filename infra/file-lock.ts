import { DatabaseSync } from 'node:sqlite'

/**
 * An open exclusive transaction on an empty database is a lock that the operating system releases when the process ends.
 * A file with a process id would stay after a `kill -9`, and could later name another process with that id.
 *
 * @returns the lock, which `close` releases; undefined if somebody else has it
 */
export function lockFile(path: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(path, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Whether SQLite refuses something since somebody else has locked the file. */
export function isBusy(error: unknown): boolean {
  const sqliteBusy = 5
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
}
