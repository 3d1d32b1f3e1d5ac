import * as z from 'zod'
import { defineFollowUp, type JobHandler } from '#jobs/job.ts'
import { attachmentKey } from './keys.ts'
import type { BeaMessageStore, FilingFollowers } from './ports.ts'

/** A message was put into a case, or taken out of it at `at`: its documents and what the cases know of it follow. */
export const followBeaFiling = defineFollowUp({
  name: 'bea.filed',
  version: 1,
  payload: z.lazy(() =>
    z.object({
      workspace_id: z.string(),
      message_id: z.string(),
      from: z.string().nullable(),
      at: z.string(),
    }),
  ),
})

/**
 * The handler of the job that follows the filing of a message. It makes the documents that are missing, and brings
 * everything in line with the case that the message is in now; it repeats this where the message was filed elsewhere
 * meanwhile. So jobs of several filings may run in any order.
 */
export function beaFilingJobs({
  messages,
  documents,
  lessons,
}: { messages: Pick<BeaMessageStore, 'find'> } & FilingFollowers): JobHandler[] {
  return [
    followBeaFiling.handledBy(async ({ workspace_id, message_id, from: left, at }) => {
      let followed: string | null | undefined
      for (let from = left; ; from = followed ?? null) {
        const message = await messages.find(workspace_id, message_id)
        if (message === undefined || message.case_id === followed) return
        const { case_id: to, teaches } = message
        const filed = message.attachments.flatMap(({ document_id, ...attachment }) =>
          document_id === null
            ? []
            : [{ ...attachment, document_id, key: attachmentKey(message, attachment) }],
        )
        if (to !== null) await documents.add(message, filed)
        await documents.follow({
          workspace_id,
          correspondence_id: message_id,
          document_ids: filed.map(({ document_id }) => document_id),
          from,
          to,
          at,
        })
        await lessons.follow(workspace_id, {
          correspondence_id: message_id,
          teaches,
          from: from === to ? null : from,
          to,
        })
        followed = to
      }
    }),
  ]
}
