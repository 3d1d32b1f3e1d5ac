import type { JobAdmin, ParkedJob, StoredJob } from '#jobs/ports.ts'
import { systemClock } from '#kernel/clock.ts'
import { readId, timeOf } from '#kernel/id.ts'
import type { Options } from './options.ts'
import { Misuse } from './target.ts'

/** The help text for jobs. */
export const jobsUsage = `  npm run admin -- jobs list [--state waiting|failing|parked] [--name NAME]
  npm run admin -- jobs replay --job ID | --name NAME`

const states = ['waiting', 'failing', 'parked'] as const

type State = (typeof states)[number]

/** A stored job as the command shows it: without its payload, which may be confidential. */
type ShownJob = Pick<StoredJob, 'id' | 'name' | 'kind' | 'version' | 'attempts' | 'last_error'> & {
  state: State
  enqueued_at: string
  /** Null for a parked job: it is not retried until it is replayed. */
  next_attempt_at: string | null
  parked_at: string | null
}

type Work = (admin: { jobs: JobAdmin }) => Promise<unknown>

/** `jobs list` shows the waiting and the parked jobs; `jobs replay` enqueues parked jobs again. */
export const jobCommands = {
  'jobs list': ({ name, state }: Options): Work => {
    if (state !== undefined && !states.some((known) => known === state))
      throw new Misuse(`--state is one of ${states.join(', ')}.`)
    return async ({ jobs }) => {
      const { waiting, parked } = await jobs.list()
      const all = [...waiting.map(shownWaiting), ...parked.map(shownParked)].toSorted((one, other) =>
        one.id < other.id ? -1 : 1,
      )
      const count = (of: State) => all.filter((job) => job.state === of).length
      return {
        waiting: count('waiting'),
        failing: count('failing'),
        parked: count('parked'),
        jobs: all.filter(
          (job) => (state === undefined || job.state === state) && (name === undefined || job.name === name),
        ),
      }
    }
  },

  'jobs replay': ({ name, job }: Options): Work => {
    if ((job === undefined) === (name === undefined))
      throw new Misuse(
        'Name the parked jobs to replay: --job ID for one, or --name NAME for all with this name.',
      )
    return async ({ jobs }) => {
      const ids =
        job !== undefined
          ? [readId('job', job) ?? job]
          : (await jobs.list()).parked.filter((parked) => parked.name === name).map(({ id }) => id)
      const replayed: string[] = []
      for (const id of ids) if (await jobs.replay(id, systemClock.now())) replayed.push(id)
      if (replayed.length === 0)
        throw new Misuse(
          `There is no parked job ${job ?? `with the name ${name}`}: "jobs list" shows the stored jobs.`,
        )
      return { replayed }
    }
  },
}

function shownWaiting({ due_at, ...job }: StoredJob): ShownJob {
  const state = job.attempts === 0 ? 'waiting' : 'failing'
  return { ...shown(job, state), next_attempt_at: due_at, parked_at: null }
}

function shownParked({ parked_at, ...job }: ParkedJob): ShownJob {
  return { ...shown(job, 'parked'), next_attempt_at: null, parked_at }
}

function shown(
  { id, name, kind, version, attempts, last_error }: Omit<ParkedJob, 'parked_at'>,
  state: State,
) {
  return { state, id, name, kind, version, attempts, last_error, enqueued_at: timeOf(id).toISOString() }
}
