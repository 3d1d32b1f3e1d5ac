import type { SendMessage } from '#jobs/job.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import type { BeaDraftStore, DueSend, DueSends } from './draft-ports.ts'

/** Later than anything that is due. */
const endOfTime = new Date('9999-12-31T00:00:00.000Z')

/**
 * Hands over to the worker what is due of drafts and answers: sends that no worker has, unknown ones that are to be looked
 * for, and sent ones whose import failed. The worker may get one twice; it does nothing that is not due.
 *
 * @param limits after the messages of the queues were lost, everything that waits is due
 */
export async function handOverDueSends(
  deps: {
    due: DueSends
    send: SendMessage<DueSend>
    log: { error: (message: string, fields: Record<string, unknown>) => void }
  },
  now: Date,
  { queueWasLost = false, milliseconds }: { queueWasLost?: boolean; milliseconds: number },
): Promise<{ handedOver: number; failed: number }> {
  const { due, send, log } = deps
  const until = performance.now() + milliseconds
  const result = { handedOver: 0, failed: 0 }
  await inParallel(due.shards, async (shard) => {
    try {
      for await (const one of due.due(shard, queueWasLost ? endOfTime : now)) {
        if (performance.now() >= until) return
        await send(one)
        result.handedOver += 1
      }
    } catch (error) {
      result.failed += 1
      log.error('due beA sends not handed over', {
        shard,
        error: error instanceof Error ? error.stack : String(error),
      })
    }
  })
  return result
}

/**
 * Hands over the sends of an account whose outcome is unknown, so that they are looked for now: a synchronisation has just
 * shown that the network answers (B7).
 */
export async function handOverUnknownSends(
  deps: { drafts: Pick<BeaDraftStore, 'unsettled'>; send: SendMessage<DueSend> },
  { workspace_id, account_id }: { workspace_id: string; account_id: string },
): Promise<void> {
  const unsettled = await deps.drafts.unsettled(workspace_id, account_id)
  for (const { id, state } of unsettled)
    if (state === 'unknown') await deps.send({ workspace_id, draft_id: id })
}
