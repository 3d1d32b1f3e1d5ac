import type { WholeStep } from '#parties/erasure-ports.ts'
import { namesOf } from '../retention/forget-answers.ts'
import { forgetTexts, type JobsToForget } from '../retention/forget-jobs.ts'

/**
 * The first step: it takes a party out of the jobs that would bring its name back into records which have lost it. If one had it,
 * the step waits for the next run. A sweeper or a request that runs the job at this moment has ended by then.
 */
export function leavingJobs(deps: JobsToForget): WholeStep {
  return async ({ workspace_id, id }) =>
    (await forgetTexts(deps, workspace_id, namesOf([id]))) ? undefined : 'later'
}
