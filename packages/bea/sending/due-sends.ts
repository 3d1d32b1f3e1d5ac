import type { SendMessage } from '#jobs/job.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import type { BeaDraftStore, DueSend, DueSends } from '../drafts/draft-ports.ts'

/** Later than anything that is due. */
const endOfTime = new Date('9999-12-31T00:00:00.000Z')

/**
 * Hands drafts and answers with due work over to the worker (`sweeping`): sends that no worker has, unknown sends whose
 * next search is due, and sent messages whose import failed. The worker may get one twice; it does only work that is
 * left.
 *
 * @param limits `queueWasLost`: the messages of the queue were lost, so everything that waits is due
 */
export async function handOverDueSends(
  deps: {
    due: DueSends
    send: SendMessage<DueSend>
    log: SweepLog
  },
  now: Date,
  { queueWasLost = false, milliseconds }: { queueWasLost?: boolean; milliseconds: number },
): Promise<{ handedOver: number; failed: number }> {
  const { due, send, log } = deps
  const sweep = sweeping({ name: 'beA sends', milliseconds, log })
  let handedOver = 0
  await sweep.eachDue(due, queueWasLost ? endOfTime : now, async (one) => {
    await send(one)
    handedOver += 1
  })
  return { handedOver, failed: sweep.failed() }
}

/**
 * Hands the account's sends with an unknown outcome over to the worker, which then searches for them. It is called after
 * a synchronisation, which has shown that the network answers (B7).
 */
export async function handOverUnknownSends(
  deps: { drafts: Pick<BeaDraftStore, 'unsettled'>; send: SendMessage<DueSend> },
  { workspace_id, account_id }: { workspace_id: string; account_id: string },
): Promise<void> {
  const unsettled = await deps.drafts.unsettled(workspace_id, account_id)
  for (const { id, state } of unsettled)
    if (state === 'unknown') await deps.send({ workspace_id, draft_id: id })
}
