import { isDeepStrictEqual } from 'node:util'
import type { Job, JobDefinition } from '#jobs/job.ts'
import { payloadOf } from '#jobs/payload.ts'
import type { ParkedJob, StoredJob } from '#jobs/ports.ts'
import type { Db } from '../db.ts'
import { jobStore } from '../jobs/job-store.ts'
import { wordsJob } from '../search-words.ts'

/** Runs a job with its handler. */
export type RunJob = (job: Pick<Job, 'name' | 'version' | 'payload'>) => Promise<void>

/** The dependencies. `jobsWithTexts`: the jobs that hold texts, besides the jobs that file words. */
export type JobsToForget = { db: Db; runJob: RunJob; jobsWithTexts: readonly JobDefinition[] }

/**
 * Takes the texts of removed records, or of an erased party, out of stored jobs, waiting and parked ones: a parked one would
 * keep them without end. Jobs that file words are run and removed, so that these words leave the lists. Others are
 * removed if they belong to what is gone, and otherwise lose its texts. All other jobs hold ids alone. A parked job that
 * no release can read goes too.
 *
 * @param isNamed whether a text has the id of a removed record or party
 * @param namesParty whether words name an erased party
 * @throws if a waiting job cannot be read (it is parked within a day), or others change the jobs all the time: call again later
 */
export async function forgetJobs(
  deps: JobsToForget,
  workspaceId: string,
  isNamed: (text: string) => boolean,
  namesParty: (words: string) => boolean = () => false,
): Promise<void> {
  const ofTexts = textsWithout(deps.jobsWithTexts, isNamed)
  const ofWords = (job: Stored): Change | undefined => {
    const { id, before } = job.payload as { id?: string; before?: string }
    if (job.name !== wordsJob.name || !(isNamed(String(id)) || namesParty(String(before)))) return undefined
    return readable(job, wordsJob) === undefined ? 'remove' : 'run'
  }
  await changeJobs(deps, workspaceId, (job) => ofWords(job) ?? ofTexts(job))
}

/**
 * The part of `forgetJobs` that leaves the jobs which file words.
 *
 * @returns whether no job named what is gone. One that did may be running, with the texts that it had
 */
export function forgetTexts(
  deps: JobsToForget,
  workspaceId: string,
  isNamed: (text: string) => boolean,
): Promise<boolean> {
  return changeJobs(deps, workspaceId, textsWithout(deps.jobsWithTexts, isNamed))
}

type Stored = StoredJob | ParkedJob

/** The change of a job: it is run and removed, removed, or gets another payload. */
type Change = 'run' | 'remove' | { version: number; payload: unknown }

/** How often the jobs are listed at most. A sweeper moves a job once a minute. */
const maxRounds = 5

/** Lists the jobs of a firm until none needs a change: others may move or finish them meanwhile. @returns whether none did */
async function changeJobs(
  { db, runJob }: JobsToForget,
  workspaceId: string,
  changeOf: (job: Stored) => Change | undefined,
): Promise<boolean> {
  const jobs = jobStore(db)
  const isOfFirm = ({ payload }: Stored) =>
    (payload as { workspace_id?: string } | null)?.workspace_id === workspaceId

  for (let round = 0; round < maxRounds; round += 1) {
    const { waiting, parked } = await jobs.list()
    const changesOf = <Job extends Stored>(listed: Job[]) =>
      listed.filter(isOfFirm).flatMap((job) => {
        const change = changeOf(job)
        return change === undefined ? [] : [{ job, change }]
      })
    const [ofWaiting, ofParked] = [changesOf(waiting), changesOf(parked)]
    const all = [...ofWaiting, ...ofParked]
    if (all.length === 0) return round === 0
    for (const { job, change } of all) if (change === 'run') await runJob(job)
    await jobs.finish(ofWaiting.filter(goes).map(({ job }) => job))
    await jobs.drop(ofParked.filter(goes).map(({ job }) => job))
    for (const { job, change } of all)
      if (typeof change === 'object') await jobs.rewrite(job, change.version, change.payload)
  }
  throw new Error('Jobs that name what is gone are being moved: they are looked at again later.')
}

const goes = ({ change }: { change: Change }) => typeof change === 'string'

function textsWithout(definitions: readonly JobDefinition[], isNamed: (text: string) => boolean) {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  return (job: Stored): Change | undefined => {
    const definition = byName.get(job.name)
    if (definition?.without === undefined || !isNamed(JSON.stringify(job.payload))) return undefined
    const payload = readable(job, definition)
    const left = payload === undefined ? undefined : definition.without(payload, isNamed)
    if (left === undefined) return 'remove'
    return isDeepStrictEqual(left, payload) ? undefined : { version: definition.version, payload: left }
  }
}

/** The payload of a job; undefined if it is parked and cannot be read, so it cannot run. @throws if a waiting one cannot */
function readable(job: Stored, definition: JobDefinition): unknown {
  try {
    return payloadOf(`job ${job.name}`, definition, job.version, job.payload)
  } catch (error) {
    if ('parked_at' in job) return undefined
    throw error
  }
}
