import { draftFiles } from '#bea/drafts/draft-files.ts'
import { recordingEebs } from '#bea/eeb/eeb.ts'
import { beaSendJobs } from '#bea/sending/send-jobs.ts'
import { beaSendQueue } from '#bea/sending/send-queue.ts'
import { receiptsAtDeadlines } from '#deadlines/receipts.ts'
import { bucketFiles } from '#files/bucket.ts'
import { queueSender } from '#queue/sqs.ts'
import { beaDraftStore } from '#store/bea/bea-draft-store.ts'
import { beaMessageStore } from '#store/bea/bea-message-store.ts'
import { deadlineStore } from '#store/deadlines/deadline-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import type { Base } from './foundation.ts'

/** BeA drafts and answers for every function that uses them: records, objects, jobs, and the queue of sends. */
export function beaSendFoundation(base: Base) {
  const files = bucketFiles()
  const send = queueSender(beaSendQueue)
  const drafts = beaDraftStore(base)
  const messages = beaMessageStore(base)
  const { timeZoneOf } = workspaceStore(base.db)
  const deadlines = receiptsAtDeadlines({ store: deadlineStore(base), timeZoneOf, clock: base.clock })
  base.jobs.handle(...beaSendJobs({ send, files, recordEeb: recordingEebs({ drafts, messages, deadlines }) }))
  return { files, objects: draftFiles(files), send, drafts, messages, timeZoneOf, deadlines }
}
