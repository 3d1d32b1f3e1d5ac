import type { Job } from './job.ts'
import type { DueIndex } from './sweeping.ts'

/** A job that is stored and not finished. */
export type StoredJob = Pick<Job, 'name' | 'version' | 'kind' | 'payload'> & {
  id: string
  /** When the sweeper may run it. */
  due_at: string
  /** The number of times that the sweeper began to run it. */
  attempts: number
  /** Why the last attempt failed; null before the first. */
  last_error: string | null
  /** Fields that newer code has stored. They stay with the job (U3). */
  unknown?: Record<string, unknown>
}

/** A job that the sweeper no longer tries. It waits for a person. */
export type ParkedJob = Omit<StoredJob, 'due_at'> & { parked_at: string }

/** The store in which the sweeper finds jobs. */
export type JobStore = DueIndex<StoredJob> & {
  /**
   * Files a job under its next attempt before this one begins. Whatever happens to the process then, the attempt
   * is counted and the job comes again.
   *
   * @returns the job as it is stored now; undefined if another process has claimed or finished it
   */
  claim: (
    job: StoredJob,
    next: Pick<StoredJob, 'due_at' | 'attempts' | 'last_error'>,
  ) => Promise<StoredJob | undefined>
  /** Stores why an attempt failed. Does nothing if the job was finished meanwhile. */
  fail: (job: StoredJob, error: string) => Promise<void>
  /** Removes finished jobs. */
  finish: (jobs: readonly StoredJob[]) => Promise<void>
  /** Moves a job to the parked ones. @returns false if it was finished meanwhile */
  park: (job: StoredJob, error: string, at: Date) => Promise<boolean>
}

/** The operations of operators, disposals and erasures on stored jobs. */
export type JobAdmin = {
  /** Every job that is not finished, in no particular order. */
  list: () => Promise<{ waiting: StoredJob[]; parked: ParkedJob[] }>
  /** Removes parked jobs. */
  drop: (parked: readonly ParkedJob[]) => Promise<void>
  /**
   * Replaces the payload of a job. `version` is the version of its definition to which the new payload belongs. Adds a
   * millisecond to the time at which the job is due or was parked. So a process that has read the older job can no
   * longer change it.
   *
   * @returns false if the job was moved or finished since it was read
   */
  rewrite: (job: StoredJob | ParkedJob, version: number, payload: unknown) => Promise<boolean>
  /** Whether a job waits for a person. */
  hasParked: () => Promise<boolean>
  /**
   * Puts a parked job back: it is due at once, and its attempts are counted from zero. @returns false if there is none
   */
  replay: (id: string, now: Date) => Promise<boolean>
}
