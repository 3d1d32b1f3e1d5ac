import type { Job } from './job.ts'
import type { DueIndex } from './sweeping.ts'

/** A job that is stored and not finished. */
export type StoredJob = Pick<Job, 'name' | 'version' | 'kind' | 'payload'> & {
  id: string
  /** The sweeper runs the job after this time. */
  due_at: string
  /** The number of times that the sweeper began to run it. */
  attempts: number
  /** Why the last attempt failed; null before the first. */
  last_error: string | null
  /** Fields that newer code has stored. They stay with the job (U3). */
  unknown?: Record<string, unknown>
}

/** A job that the sweeper no longer runs. It waits for a person. */
export type ParkedJob = Omit<StoredJob, 'due_at'> & { parked_at: string }

/** The store of jobs, as the sweeper uses it. */
export type JobStore = DueIndex<StoredJob> & {
  /**
   * Stores the number of attempts and when the next attempt is due, before this one begins. So the attempt is counted
   * and the job runs again even if the process dies.
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

/** The store of jobs, as the tools of operators, disposals and erasures use it. */
export type JobAdmin = {
  /** All jobs that are not finished, in no particular order. */
  list: () => Promise<{ waiting: StoredJob[]; parked: ParkedJob[] }>
  /** Removes parked jobs. */
  drop: (parked: readonly ParkedJob[]) => Promise<void>
  /**
   * Replaces the payload of a job, and adds a millisecond to the time at which the job is due or was parked. A process
   * that has read the job before can then no longer change it.
   *
   * @param version the version of the new payload
   * @returns false if the job was changed or finished since it was read
   */
  rewrite: (job: StoredJob | ParkedJob, version: number, payload: unknown) => Promise<boolean>
  /** Whether any job is parked. */
  hasParked: () => Promise<boolean>
  /**
   * Makes a parked job due at once, with no attempts counted.
   *
   * @returns false if there is no such parked job
   */
  replay: (id: string, now: Date) => Promise<boolean>
}
