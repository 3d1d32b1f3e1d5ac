import { inTime } from '#kernel/in-time.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { maxAttempts, nextAttemptAt } from './back-off.ts'
import type { JobKind } from './job.ts'
import { PayloadRefused } from './payload.ts'
import type { JobStore, StoredJob } from './ports.ts'
import type { JobRunner } from './runner.ts'
import { type SweepLog, sweeping } from './sweeping.ts'

/** The number of jobs of one name in a sweep, by outcome. */
export type JobCount = { kind: JobKind; done: number; failed: number; parked: number }

export type SweepResult = {
  jobs: Record<string, JobCount>
  /**
   * The number of shards that the sweep began to read, also if the read failed. It is smaller than their total if the
   * time ran out.
   */
  shards: number
  /** The number of shards that could not be read, and of jobs whose claim or outcome could not be stored. */
  unread: number
}

/** The time limits of a sweep and of each job. A job that takes longer fails. */
export type SweepLimits = { milliseconds: number; jobMilliseconds?: number }

/** The number of jobs that run at the same time. */
const jobsAtOnce = 8

/** Stored as the error of an attempt when it begins. It stays if the process dies. */
const notEnded = 'The attempt did not end: the process died.'

/**
 * Runs the due jobs (`sweeping`): jobs that their request did not finish, jobs with a `due_at`, and jobs whose pause
 * after a failure is over. It begins no job that might end after the time limit.
 */
export async function sweepJobs(
  deps: { store: JobStore; runner: Pick<JobRunner, 'run'>; log: SweepLog; random?: () => number },
  now: Date,
  { milliseconds, jobMilliseconds = 10_000 }: SweepLimits,
): Promise<SweepResult> {
  const { store, runner, log, random = Math.random } = deps
  const sweep = sweeping({ name: 'jobs', milliseconds: milliseconds - jobMilliseconds, log, random })
  const result: SweepResult = { jobs: {}, shards: 0, unread: 0 }

  const count = ({ name, kind }: StoredJob, outcome: 'done' | 'failed' | 'parked') => {
    const counts = result.jobs[name] ?? { kind, done: 0, failed: 0, parked: 0 }
    counts[outcome] += 1
    result.jobs[name] = counts
  }

  const park = async (job: StoredJob, error: string): Promise<void> => {
    if (!(await store.park(job, error, now))) return
    count(job, 'parked')
    log.error('job parked', { ...logFieldsOf(job), error })
  }

  const runClaimed = async (job: StoredJob): Promise<void> => {
    try {
      await withinTime(jobMilliseconds, () => runner.run(job))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (error instanceof PayloadRefused || job.attempts >= maxAttempts) return park(job, message)
      count(job, 'failed')
      log.error('job failed', { ...logFieldsOf(job), error: error instanceof Error ? error.stack : message })
      return store.fail(job, message)
    }
    await store.finish([job])
    count(job, 'done')
  }

  const claimAndRun = async (job: StoredJob): Promise<void> => {
    const attempts = job.attempts + 1
    if (attempts > maxAttempts) return park(job, job.last_error ?? notEnded)
    const due_at = nextAttemptAt(now, attempts, random).toISOString()
    const claimed = await store.claim(job, { due_at, attempts, last_error: notEnded })
    if (claimed !== undefined) await runClaimed(claimed)
  }

  result.shards = await sweep.eachDue(store, now, claimAndRun, jobsAtOnce)
  result.unread = sweep.failed()
  return result
}

/** Rejects when the time of a job is over, even if the job never ends. */
function withinTime(milliseconds: number, work: () => Promise<void>): Promise<void> {
  return inTime(milliseconds, withTimeLimit(milliseconds, work), () => {
    throw new Error(`The attempt did not end within ${milliseconds / 1_000} seconds.`)
  })
}

function logFieldsOf({ id, name, kind, version, attempts }: StoredJob) {
  return { job: name, job_id: id, kind, version, attempts }
}
