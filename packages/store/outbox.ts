import type { Job } from '#jobs/job.ts'
import type { JobRunner } from '#jobs/runner.ts'
import { Failure } from '#kernel/failure.ts'
import { idPrefixes, newId, uuidv7At } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { type Db, strongly } from './db.ts'
import { outboxItem, outboxShards } from './entities/outbox-item.ts'
import { lazily } from './lazily.ts'
import { type Action, change, erase, put, Stale, transact } from './transact.ts'

/** Where a job that could not be done now is written down; it stays recorded and is tried again. */
export type OutboxLog = { error: (message: string, fields: Record<string, unknown>) => void }

/** How long the request that recorded a job has for it before the sweeper takes it up. */
const graceMilliseconds = 60_000

/** How often a job is tried, once a minute, before it is put aside: longer than an outage that mends itself. */
const mostAttempts = 1_440

/** Where jobs lie that were put aside. */
const parked = 'parked'

/** How many jobs of a shard one sweep takes up. */
const mostPerShard = 100

/**
 * Changes with what must follow them. A job is recorded in the transaction of its change, carried out right
 * after it by the same request, and then forgotten. Should the process die in between, or the job fail, the
 * sweeper finds it a minute later: what was accepted is never lost.
 */
export function outbox(db: Db, jobs: Pick<JobRunner, 'run'>, log: OutboxLog) {
  const items = lazily(() => outboxItem(db))

  const carryOut = async (id: string, job: StoredJob): Promise<boolean> => {
    try {
      await jobs.run(job)
      await items.delete({ shard: shardOf(id), id }).go()
      return true
    } catch (error) {
      const told = error instanceof Error ? error.stack : String(error)
      log.error('job failed', { job: job.name, job_id: id, error: told })
      return false
    }
  }

  /**
   * Counts a failed attempt; after too many the job is put aside, where it blocks no other and waits for a person.
   * Where somebody else did the job meanwhile, there is nothing to count.
   */
  const countFailure = async (shard: string, id: string, job: StoredJob, attempts: number): Promise<void> => {
    const isParked = attempts >= mostAttempts
    const actions = isParked
      ? [put(items.put({ shard: parked, id, ...job, attempts })), erase(items.remove({ shard, id }))]
      : [change(items.patch({ shard, id }).set({ attempts }))]
    try {
      await transact(db, actions)
    } catch (error) {
      if (error instanceof Stale) return
      throw error
    }
    if (isParked) log.error('job put aside', { job: job.name, job_id: id, attempts })
  }

  /**
   * Carries out the actions in one transaction with the jobs that follow them.
   *
   * @returns what to call next: it runs the jobs. One that fails does not fail the change, since it is stored; a
   *   required one throws Failure 503: the change is made, and asking for it again does what is left.
   * @throws what `transact` throws; then nothing was changed
   */
  const enqueue = async (actions: Action[], jobs: Job[]): Promise<() => Promise<void>> => {
    const enqueued = jobs.map(({ required, ...job }) => ({ id: newId('job'), job, required }))
    const added = enqueued.map(({ id, job }) => put(items.create({ shard: shardOf(id), id, ...job })))
    await transact(db, [...actions, ...added])
    return async () => {
      for (const { id, job, required } of enqueued) {
        const done = await carryOut(id, job)
        if (required && !done) throw notInForce()
      }
    }
  }

  return {
    /** As `enqueue`, and then runs the jobs. @throws as both */
    async commit(actions: Action[], jobs: Job[]): Promise<void> {
      const follow = await enqueue(actions, jobs)
      await follow()
    },

    enqueue,

    /** Does what was recorded more than a minute before `now` and is still there. */
    async sweep(now: Date): Promise<{ done: number; failed: number }> {
      const before = idPrefixes.job + uuidv7At(now.getTime() - graceMilliseconds)
      const result = { done: 0, failed: 0 }
      await inParallel(outboxShards, async (shard) => {
        const { data } = await items.query
          .oldest({ shard })
          .lt({ id: before })
          .go({ limit: mostPerShard, ...strongly })
        for (const { id, attempts = 0, ...item } of data) {
          const job = storedJob(item)
          if (await carryOut(id, job)) {
            result.done += 1
            continue
          }
          result.failed += 1
          await countFailure(shard, id, job, attempts + 1)
        }
      })
      return result
    },
  }
}

/** What stores need of the outbox. */
export type Outbox = Pick<ReturnType<typeof outbox>, 'commit' | 'enqueue'>

type StoredJob = Omit<Job, 'required'>

/** A job that was stored before jobs had versions is of the first. */
function storedJob({ name, version = 1, kind = 'follow-up', payload }: StoredItem): StoredJob {
  return { name, version, kind, payload }
}

type StoredItem = Omit<StoredJob, 'version' | 'kind' | 'payload'> & Partial<StoredJob>

function notInForce(): Failure {
  return new Failure(
    'unavailable',
    'SERVICE_UNAVAILABLE',
    'The change is made but not in force everywhere yet. Repeat it.',
    {
      retryAfterSeconds: 2,
    },
  )
}

function shardOf(id: string): string {
  return id.slice(-1)
}
