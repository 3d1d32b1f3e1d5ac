import { isRefusal } from './failure.ts'

/** Another request changed the record between its reading and its change. Nothing was stored. */
export class ChangedMeanwhile extends Error {}

/** @throws ChangedMeanwhile unless the record still has the version that was read */
export function requireVersion(current: { version: number }, read: { version: number }): void {
  if (current.version !== read.version) throw new ChangedMeanwhile()
}

/**
 * Reads and changes again if somebody else changed the record in between. It ends when the time of the request is over.
 */
export async function retryChanged<Result>(readAndChange: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await readAndChange()
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
    }
  }
}

/** Whether an error proves that a change was not stored. If so, objects prepared for it can be removed. */
export function isUnwritten(error: unknown): boolean {
  return error instanceof ChangedMeanwhile || isRefusal(error)
}
