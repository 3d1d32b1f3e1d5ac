import type { WholeStep } from '#parties/erasure-ports.ts'
import { namesOf } from '../retention/forget-answers.ts'
import { forgetTexts, type JobsToForget } from '../retention/forget-jobs.ts'

/**
 * The first step: it removes a party from the jobs that would write its name again into records that have lost it. If
 * there was such a job, the erasure continues with the next run: a sweeper or a request that was running the job has ended
 * by then.
 */
export function erasureInJobs(deps: JobsToForget): WholeStep {
  return async ({ workspace_id, id }) =>
    (await forgetTexts(deps, workspace_id, namesOf([id]))) ? undefined : 'later'
}
