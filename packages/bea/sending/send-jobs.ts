import * as z from 'zod'
import { defineFollowUp, defineHandOver, type JobHandler, type SendMessage } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import type { BeaFiles, DueSend } from '../drafts/draft-ports.ts'
import { beaSendQueue } from './send-queue.ts'

/** A draft or an answer must be sent. */
export const handOverSend = defineHandOver({
  name: 'bea.send',
  version: 1,
  payload: beaSendQueue.payload,
  queue: beaSendQueue,
  messagesOf: (send) => [send],
})

/** A draft was changed, sent again or deleted. The job removes the objects that it no longer needs. */
export const eraseBeaFiles = defineFollowUp({
  name: 'bea.erase',
  version: 1,
  payload: lazyObject(() => ({ keys: z.array(z.string()) })),
})

/** The state of an answer to a request for a receipt has changed. The job updates its message, case and deadline (B9). */
export const followEeb = defineFollowUp({
  name: 'bea.eeb',
  version: 1,
  payload: lazyObject(() => ({ workspace_id: z.string(), draft_id: z.string() })),
})

/** The handlers of the jobs that follow a change of a draft or an answer. */
export function beaSendJobs(deps: {
  send: SendMessage<DueSend>
  files: Pick<BeaFiles, 'remove'>
  recordEeb: (workspaceId: string, draftId: string) => Promise<void>
}): JobHandler[] {
  return [
    handOverSend.handledBy(deps.send),
    eraseBeaFiles.handledBy(({ keys }) => deps.files.remove(keys)),
    followEeb.handledBy(({ workspace_id, draft_id }) => deps.recordEeb(workspace_id, draft_id)),
  ]
}
