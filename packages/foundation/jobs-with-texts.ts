import { createParties, unlinkCase } from '#cases/jobs.ts'
import { assignDocuments } from '#documents/jobs.ts'
import type { JobDefinition } from '#jobs/job.ts'
import type { JobsToForget } from '#store/retention/forget-jobs.ts'
import type { Base } from './foundation.ts'

/**
 * The jobs whose payloads contain texts of records, except `wordsJob`. Disposals and erasures remove the texts of
 * deleted records from these payloads. A test fails if a job with a text in its payload is missing here.
 */
export const jobsWithTexts: readonly JobDefinition[] = [createParties, unlinkCase, assignDocuments]

/** The dependencies with which disposals and erasures remove the texts of deleted records from stored jobs. */
export function jobsToForget({ db, jobs }: Base): JobsToForget {
  return { db, runJob: (job) => jobs.run(job), jobsWithTexts }
}
