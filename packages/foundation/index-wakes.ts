import { queueSender } from '#queue/sqs.ts'
import { indexWatch } from '#store/text-search/index-watch.ts'
import { wakeIndex } from '#text-search/wake-schema.ts'
import type { Base } from './foundation.ts'

/**
 * The job that follows a change of a document, mail or beA message: for every function that changes some. It wakes the
 * worker of the search index, and makes the sweeper check the result. The function needs the right to send to the queue
 * (`needs.sends`).
 *
 * @returns the function that sends such a message without a job
 */
export function indexWakes(base: Pick<Base, 'jobs' | 'db' | 'clock'>) {
  const send = queueSender(wakeIndex.queue)
  const watch = indexWatch(base)
  base.jobs.handle(
    wakeIndex.handledBy(async (wake) => {
      await watch(wake.workspace_id)
      await send(wake)
    }),
  )
  return send
}
