import { open, statfs } from 'node:fs/promises'
import { CannotStart } from './cannot-start.ts'

/** The disk that holds the data folder. */
export type Disk = {
  /** Whether too little space is left to accept anything. Looks at most once a second. */
  isFull: () => Promise<boolean>
  /** Resolves when all committed data of the table is on the disk, not only in the system's memory. */
  flush: () => Promise<void>
}

/** With less than this left, a request could end between two writes. */
const minFreeBytes = 64 * 1024 * 1024

const lookMilliseconds = 1_000

/**
 * The database writes its log without waiting for the disk (SQLite's `synchronous = NORMAL`). A crash of the process
 * loses nothing, but a power failure could lose data that was just accepted. So the log is flushed before a request
 * that may have written is answered. Requests that come while the disk is busy share the next flush.
 *
 * @param tableFile the file of the table; undefined if the environment names another database
 */
export function diskOf(
  folder: string,
  tableFile: string | undefined,
  { freeBytes = freeBytesOf, sync = syncFile, complain = console.error } = {},
): Disk {
  const flush = tableFile === undefined ? async () => {} : sharedFlush(() => sync(`${tableFile}-wal`))
  let looked: { at: number; isFull: boolean } | undefined

  return {
    isFull: async () => {
      if (looked && performance.now() - looked.at < lookMilliseconds) return looked.isFull
      const isFull = (await freeBytes(folder)) < minFreeBytes
      if (isFull && !looked?.isFull) complain(fullSentence(folder))
      looked = { at: performance.now(), isFull }
      return isFull
    },
    flush,
  }
}

/** Callers during a flush share the next one, because the running one may have begun before their last write. */
function sharedFlush(flush: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    next = undefined
    running = flush().finally(() => {
      if (next === undefined) running = undefined
    })
    return running
  }
  return () => {
    if (running === undefined) return begin()
    next ??= running.catch(() => undefined).then(begin)
    return next
  }
}

/** @throws CannotStart if too little space is left to begin */
export async function requireSpace(folder: string, freeBytes = freeBytesOf): Promise<void> {
  if ((await freeBytes(folder)) < minFreeBytes) throw new CannotStart(fullSentence(folder))
}

function fullSentence(folder: string): string {
  return `The disk of the data folder ${folder} is full: nothing is accepted until it has ${minFreeBytes / 1024 / 1024} MB of free space again.`
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Flushes a file to the disk. A file that does not exist has nothing to flush. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  try {
    await file?.sync()
  } finally {
    await file?.close()
  }
}
