import type { Job } from '#jobs/job.ts'
import type { JobAdmin, JobStore, ParkedJob, StoredJob } from '#jobs/ports.ts'
import { newId } from '#kernel/id.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { wholeCharacters } from '#kernel/text.ts'
import { eraseEach } from '../batch.ts'
import { type Db, whole } from '../db.ts'
import { dueIndex } from '../due-index.ts'
import { jobShards } from '../due-moments.ts'
import { type Known, knownOf, unknownOf, withUnknown } from '../rewrite.ts'
import { type Action, change, erase, isMade, put, transact } from '../transact.ts'
import { parkedJob, waitingJob } from './job-entity.ts'

/** Longer errors are cut to this length, in characters. */
const maxErrorLength = 500

/** The shard of parked jobs. */
const parkedShard = 'parked'

/** Partitions read at the same time when all are read. */
const shardsAtOnce = 16

/** Jobs in the table: waiting jobs, sorted by the due time of their next attempt, and parked jobs. */
export function jobStore(db: Db): JobStore &
  JobAdmin & {
    /** A new job that is due at a time, and the action that stores it. */
    addition: (job: Job, due: Date) => { job: StoredJob; action: Action }
  } {
  const waiting = waitingJob(db)
  const parkedJobs = parkedJob(db)

  const keyOf = ({ id, due_at }: StoredJob) => ({ shard: shardOf(id), due_at, id })

  /** Removes the job from its place. Fails as Stale if another process moved or finished it. */
  const leave = (job: StoredJob): Action => erase(waiting.remove(keyOf(job)))

  const file = ({ last_error, unknown = {}, ...job }: StoredJob): Action => {
    const item = { ...job, shard: shardOf(job.id), ...(last_error !== null && { last_error }) }
    return put(withUnknown(waiting.put(item), unknown))
  }

  const waitingOf = (item: Item<StoredJob>) => jobOf(waiting, item)
  const parkedOf = (item: Item<ParkedJob>) => jobOf(parkedJobs, item)

  return {
    addition: ({ name, kind, version, payload }, due) => {
      const due_at = due.toISOString()
      const job = { id: newId('job'), name, kind, version, payload, due_at, attempts: 0, last_error: null }
      return { job, action: file(job) }
    },

    ...dueIndex(
      'outbox',
      (shard, before) => waiting.query.due({ shard }).lt({ due_at: before.toISOString() }),
      waitingOf,
    ),
    shards: jobShards,

    claim: async (job, next) => {
      const claimed = { ...job, ...next }
      return (await isMade(transact(db, [leave(job), file(claimed)]))) ? claimed : undefined
    },

    fail: async (job, error) => {
      const noted = waiting.patch(keyOf(job)).set({ last_error: shortened(error) })
      await isMade(transact(db, [change(noted)]))
    },

    finish: (jobs) => eraseEach(db, jobs, (job) => waiting.delete(keyOf(job))),

    park: (job, error, at) => {
      const { due_at: _, unknown = {}, ...kept } = job
      const parked = { ...kept, last_error: shortened(error), parked_at: at.toISOString() }
      const item = withUnknown(parkedJobs.put({ ...parked, shard: parkedShard }), unknown)
      return isMade(transact(db, [leave(job), put(item)]))
    },

    list: async () => {
      const found: StoredJob[] = []
      await inParallelUpTo(shardsAtOnce, jobShards, async (shard) => {
        const { data } = await waiting.query.due({ shard }).go({ pages: 'all', ...whole })
        found.push(...data.map(waitingOf))
      })
      const { data } = await parkedJobs.query.oldest({ shard: parkedShard }).go({ pages: 'all', ...whole })
      return { waiting: found, parked: data.map(parkedOf) }
    },

    hasParked: async () => {
      const { data } = await parkedJobs.query.oldest({ shard: parkedShard }).go({ limit: 1 })
      return data.length > 0
    },

    drop: (parked) => eraseEach(db, parked, ({ id }) => parkedJobs.delete({ shard: parkedShard, id })),

    rewrite: (job, version, payload) => {
      if ('due_at' in job) {
        const moved = { ...job, version, payload, due_at: millisecondAfter(job.due_at) }
        return isMade(transact(db, [leave(job), file(moved)]))
      }
      const item = parkedJobs
        .patch({ shard: parkedShard, id: job.id })
        .set({ version, payload, parked_at: millisecondAfter(job.parked_at) })
        .where(({ parked_at }, { eq }) => eq(parked_at, job.parked_at))
      return isMade(transact(db, [change(item)]))
    },

    replay: async (id, now) => {
      const key = { shard: parkedShard, id }
      const { data } = await parkedJobs.get(key).go(whole)
      if (data === null) return false
      const { parked_at: parkedAt, ...job } = parkedOf(data)
      const replayed = { ...job, due_at: now.toISOString(), attempts: 0 }
      const asRead = parkedJobs.remove(key).where(({ parked_at }, { eq }) => eq(parked_at, parkedAt))
      return isMade(transact(db, [erase(asRead), file(replayed)]))
    },
  }
}

type Item<Stored> = Omit<Stored, 'last_error' | 'unknown'> & { shard: string; last_error?: string }

/** The job of an item, with the attributes that its entity does not know. */
function jobOf<Stored>(entity: Known, item: Item<Stored>) {
  const { shard: _, last_error = null, ...job } = knownOf(entity, item)
  return { ...job, last_error, unknown: unknownOf(entity, item) }
}

function shardOf(id: string): string {
  return id.slice(-2)
}

function millisecondAfter(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString()
}

/** The error with at most 500 units, and without halves of characters, which errors of `JSON.parse` quote too. */
function shortened(error: string): string {
  return wholeCharacters(error.length > maxErrorLength ? `${error.slice(0, maxErrorLength)}…` : error)
}
