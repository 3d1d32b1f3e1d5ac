import { mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const inMemory = '/dev/shm'
const minFreeBytes = 4 * 1024 ** 3

/**
 * A new folder for the data of a service. It is in memory if the machine has enough: the data must survive a killed
 * process, but no power failure, and databases wait most of the time until a disk has written.
 */
export function newDataFolder(): string {
  return mkdtempSync(join(hasRoom() ? inMemory : tmpdir(), 'aktenlage-'))
}

function hasRoom(): boolean {
  if (process.availableMemory() < minFreeBytes) return false
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    return bavail * bsize >= minFreeBytes
  } catch {
    return false
  }
}
