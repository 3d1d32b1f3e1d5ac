import { mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const inMemory = '/dev/shm'

/** All services of a test run use less. */
const minFreeBytes = 12 * 1024 ** 3

/**
 * A new folder for the data of a service. It is in memory if the machine has enough, because databases wait most of the
 * time for a disk. The data must survive a killed process, but not a power failure.
 */
export function newDataFolder(): string {
  try {
    if (hasRoom()) return mkdtempSync(join(inMemory, 'aktenlage-'))
  } catch {
    // This file system does not exist, or this user may not write to it.
  }
  return mkdtempSync(join(tmpdir(), 'aktenlage-'))
}

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(inMemory)
  return Math.min(process.availableMemory(), bavail * bsize) >= minFreeBytes
}
