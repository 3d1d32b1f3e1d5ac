import { graceMilliseconds } from '#jobs/back-off.ts'
import type { Job } from '#jobs/job.ts'
import type { StoredJob } from '#jobs/ports.ts'
import type { JobRunner } from '#jobs/runner.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { type Answered, withoutClaim } from '#kernel/idempotency.ts'
import type { LogOf } from '#kernel/log.ts'
import type { Db } from './db.ts'
import { jobStore } from './jobs/job-store.ts'
import { type Action, type Answering, transact } from './transact.ts'

/** The part of the outbox that stores use. */
export type Outbox = {
  /** Like `enqueue`, but also runs the jobs. @throws as `enqueue` and the function that it returns */
  commit: <Answer = undefined>(
    actions: Action[],
    jobs: Job[],
    change?: Answering<Answer>,
  ) => Promise<Answered<Answer>>
  /**
   * Writes the actions, the jobs that follow them, and the answer of the change, in one transaction.
   *
   * @returns a function that runs all jobs without `due_at` in parallel and returns the answer. A failed job does not
   *   fail the change, because it is stored and retried. A failed required job throws Failure 503: the change is made,
   *   and the client completes it by repeating the request.
   * @throws as `transact`; nothing was changed then
   */
  enqueue: <Answer = undefined>(
    actions: Action[],
    jobs: Job[],
    change?: Answering<Answer>,
  ) => Promise<() => Promise<Answered<Answer>>>
}

/**
 * Makes changes and runs the jobs that follow them. A job is stored in the transaction of its change. The same request
 * then runs it and removes it. If the process crashes in between, or the job fails, the sweeper runs it a minute later:
 * no accepted change loses its jobs.
 */
export function outbox(db: Db, runner: Pick<JobRunner, 'run'>, log: LogOf<'error'>): Outbox {
  const store = jobStore(db)

  const run = async (job: StoredJob): Promise<boolean> => {
    try {
      // The claim belongs to the requested change, not to a job that follows it or that ends the reservation of a
      // refused change.
      await withoutClaim(() => runner.run(job))
      return true
    } catch (error) {
      const { id, name, kind, version } = job
      const text = error instanceof Error ? error.stack : String(error)
      log.error('job failed', { job: name, job_id: id, kind, version, error: text })
      return false
    }
  }

  /** Removes finished jobs. Nothing waits for this. If it fails, a job runs twice, which is safe. */
  const forget = (jobs: StoredJob[]): void => {
    store
      .finish(jobs)
      .catch((error: unknown) => log.error('finished jobs not removed', { error: String(error) }))
  }

  const enqueue: Outbox['enqueue'] = async (actions, jobs, change) => {
    const now = epochMilliseconds()
    const added = jobs.map(({ due_at, ...job }) => ({
      // After the queues were lost, the sweeper skips this pause. Even then no job runs before its `due_at`.
      ...store.addition(job, new Date((due_at?.getTime() ?? now) + graceMilliseconds)),
      required: job.required,
      isForNow: due_at === undefined,
    }))
    const answer = await transact(db, [...actions, ...added.map(({ action }) => action)], change)
    return async () => {
      const forNow = added.filter(({ isForNow }) => isForNow)
      const ran = await Promise.all(forNow.map(async (one) => ({ ...one, isDone: await run(one.job) })))
      forget(ran.filter(({ isDone }) => isDone).map(({ job }) => job))
      if (ran.some(({ isDone, required }) => required && !isDone)) throw notInForce()
      return answer
    }
  }

  return {
    enqueue,
    commit: async (actions, jobs, change) => {
      const follow = await enqueue(actions, jobs, change)
      return follow()
    },
  }
}

function notInForce(): Failure {
  return new Failure(
    'unavailable',
    'SERVICE_UNAVAILABLE',
    'The change is made but does not take effect everywhere yet. Repeat the request.',
    { retryAfterSeconds: 2 },
  )
}
