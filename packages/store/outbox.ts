import type * as z from 'zod'
import type { Job, JobDefinition } from '#jobs/job.ts'
import { Failure } from '#kernel/failure.ts'
import { idPrefixes, newId, uuidv7At } from '#kernel/id.ts'
import { inParallel } from './batch.ts'
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
export function outbox(db: Db, log: OutboxLog) {
  const items = lazily(() => outboxItem(db))
  const handlers = new Map<string, (payload: unknown) => Promise<void>>()

  const carryOut = async (id: string, job: Job): Promise<boolean> => {
    try {
      const handler = handlers.get(job.name)
      if (handler === undefined) throw new Error(`No handler for the job ${job.name} in this function.`)
      await handler(job.payload)
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
  const countFailure = async (shard: string, id: string, job: Job, attempts: number): Promise<void> => {
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

  return {
    /** Registers who does a kind of job. */
    on<Payload extends z.ZodType>(
      definition: JobDefinition<Payload>,
      handler: (payload: z.output<Payload>) => Promise<void>,
    ): void {
      handlers.set(definition.name, async (payload) => handler(definition.payload.parse(payload)))
    },

    /** As `record`, and then carries the jobs out. @throws as both */
    async commit(actions: Action[], jobs: Job[], options?: { demanded: boolean }): Promise<void> {
      const follow = await this.record(actions, jobs)
      await follow(options)
    },

    /**
     * Carries out the actions in one transaction with the jobs that follow them.
     *
     * @returns what to call next: it carries out the jobs. One that fails does not fail the change, since it is
     *   recorded; with `demanded` it throws Failure 503: the change is made, and asking for it again does what is left.
     * @throws what `transact` throws; then nothing was changed
     */
    async record(
      actions: Action[],
      jobs: Job[],
    ): Promise<(options?: { demanded: boolean }) => Promise<void>> {
      const recorded = jobs.map((job) => ({ id: newId('job'), job }))
      const records = recorded.map(({ id, job }) =>
        put(items.create({ shard: shardOf(id), id, name: job.name, payload: job.payload })),
      )
      await transact(db, [...actions, ...records])
      return async ({ demanded } = { demanded: false }) => {
        for (const { id, job } of recorded) {
          const done = await carryOut(id, job)
          if (demanded && !done) throw notInForce()
        }
      }
    },

    /** Does what was recorded more than a minute before `now` and is still there. */
    async sweep(now: Date): Promise<{ done: number; failed: number }> {
      const before = idPrefixes.job + uuidv7At(now.getTime() - graceMilliseconds)
      const result = { done: 0, failed: 0 }
      await inParallel(outboxShards, async (shard) => {
        const { data } = await items.query
          .oldest({ shard })
          .lt({ id: before })
          .go({ limit: mostPerShard, ...strongly })
        for (const { id, name, payload, attempts = 0 } of data) {
          if (await carryOut(id, { name, payload })) {
            result.done += 1
            continue
          }
          result.failed += 1
          await countFailure(shard, id, { name, payload }, attempts + 1)
        }
      })
      return result
    },

    /** The kinds of jobs that this function can do. */
    kinds: () => [...handlers.keys()],
  }
}

export type Outbox = ReturnType<typeof outbox>

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
