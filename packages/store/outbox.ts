import { graceMilliseconds } from '#jobs/back-off.ts'
import type { Job } from '#jobs/job.ts'
import type { StoredJob } from '#jobs/ports.ts'
import type { JobRunner } from '#jobs/runner.ts'
import { Failure } from '#kernel/failure.ts'
import type { Db } from './db.ts'
import { jobStore } from './jobs/job-store.ts'
import { type Action, transact } from './transact.ts'

/** Where the outbox writes that a job failed. The job is stored and is tried again. */
export type OutboxLog = { error: (message: string, fields: Record<string, unknown>) => void }

/** What stores need of the outbox. */
export type Outbox = {
  /** As `enqueue`, and then runs the jobs. @throws as both */
  commit: (actions: Action[], jobs: Job[]) => Promise<void>
  /**
   * Carries out the actions in one transaction with the jobs that follow them.
   *
   * @returns what to call next: it runs the jobs, all at once. One that fails does not fail the change, since it is
   *   stored; a required one throws Failure 503: the change is made, and asking for it again does what is left.
   * @throws what `transact` throws; then nothing was changed
   */
  enqueue: (actions: Action[], jobs: Job[]) => Promise<() => Promise<void>>
}

/**
 * Changes with what must follow them. A job is stored in the transaction of its change, and the same request runs it
 * right after that and removes it. If the process dies in between, or the job fails, the sweeper runs it a minute
 * later: what was accepted is never lost.
 */
export function outbox(db: Db, runner: Pick<JobRunner, 'run'>, log: OutboxLog): Outbox {
  const store = jobStore(db)

  const run = async (job: StoredJob): Promise<boolean> => {
    try {
      await runner.run(job)
      return true
    } catch (error) {
      const { id, name, kind, version } = job
      const text = error instanceof Error ? error.stack : String(error)
      log.error('job failed', { job: name, job_id: id, kind, version, error: text })
      return false
    }
  }

  /** Nobody waits for the removal, since no answer needs it. If it fails, the job runs again, which does no harm. */
  const forget = (jobs: StoredJob[]): void => {
    store
      .finish(jobs)
      .catch((error: unknown) => log.error('finished jobs not removed', { error: String(error) }))
  }

  const enqueue: Outbox['enqueue'] = async (actions, jobs) => {
    const due = new Date(Date.now() + graceMilliseconds)
    const added = jobs.map((job) => ({ ...store.addition(job, due), required: job.required }))
    await transact(db, [...actions, ...added.map(({ action }) => action)])
    return async () => {
      const ran = await Promise.all(added.map(async (one) => ({ ...one, isDone: await run(one.job) })))
      forget(ran.filter(({ isDone }) => isDone).map(({ job }) => job))
      if (ran.some(({ isDone, required }) => required && !isDone)) throw notInForce()
    }
  }

  return {
    enqueue,
    commit: async (actions, jobs) => {
      const follow = await enqueue(actions, jobs)
      await follow()
    },
  }
}

function notInForce(): Failure {
  return new Failure(
    'unavailable',
    'SERVICE_UNAVAILABLE',
    'The change is made but not in force everywhere yet. Repeat it.',
    { retryAfterSeconds: 2 },
  )
}
