import * as z from 'zod'
import type { Arrival } from '#inbox/arrival-schema.ts'
import { defineFollowUp, type JobHandler, type SendMessage } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { applyRule } from '#timeline/schema.ts'
import type { BeaMessageRecord, BeaMessageStore, FilingFollowers } from '../ports.ts'
import { attachmentKey } from './message-keys.ts'

/**
 * A message was put into a case, or taken out of the case `from`, at the time `at`. The job moves its documents, and
 * updates the facts that the cases learn from the message.
 */
export const followBeaFiling = defineFollowUp({
  name: 'bea.filed',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    message_id: z.string(),
    from: z.string().nullable(),
    at: z.string(),
  })),
})

/** Attachments in one batch. A batch is stored completely, and a finished batch is not repeated. */
const attachmentsInPiece = 10

/** A worker files messages with more attachments, since a request has not enough time for a thousand. */
const maxInRequest = 50

/** Whether a worker must complete the filing of a message. */
export function isLargeFiling({ attachments }: Pick<BeaMessageRecord, 'attachments'>): boolean {
  return attachments.length > maxInRequest
}

type Filing = z.output<typeof followBeaFiling.payload>

type BeaFiling = ReturnType<typeof beaFiling>

/**
 * Completes the filing of a message in its current case: creates missing documents, moves existing ones, and updates
 * the facts that cases learn. If the message was moved meanwhile, it begins again. So these jobs may run in any order,
 * concurrently, and again after a crash. Finished work is not repeated.
 */
export function beaFiling(deps: { messages: Pick<BeaMessageStore, 'find' | 'change'> } & FilingFollowers) {
  const { messages, documents, lessons } = deps
  /** Removes `filing` from a message whose attachments are all in its case. */
  const settle = async ({ workspace_id, id, filing, case_id }: BeaMessageRecord): Promise<void> => {
    if (filing === undefined) return
    await applyRule(messages, workspace_id, id, ({ filing: _, ...current }) =>
      current.case_id === case_id ? { record: { ...current, version: current.version + 1 } } : undefined,
    )
  }

  return {
    /** Whether the message has too many attachments for a request, so that a worker must file them. */
    isLarge: async ({ workspace_id, message_id }: Filing): Promise<boolean> => {
      const message = await messages.find(workspace_id, message_id)
      return message !== undefined && isLargeFiling(message)
    },

    /**
     * @param isOver called before each batch; if it returns true, no further batch begins
     * @returns false if batches are left
     */
    async follow(
      { workspace_id, message_id, from: left, at }: Filing,
      isOver: () => boolean = () => false,
    ): Promise<boolean> {
      let followed: string | null | undefined
      for (let from = left; ; from = followed ?? null) {
        const message = await messages.find(workspace_id, message_id)
        if (message === undefined) return true
        if (message.case_id === followed) {
          await settle(message)
          return true
        }
        const { case_id: to, teaches } = message
        const filed = message.attachments.flatMap(({ document_id, ...attachment }) =>
          document_id === null
            ? []
            : [{ ...attachment, document_id, key: attachmentKey(message, attachment) }],
        )
        for (let start = 0; start < filed.length; start += attachmentsInPiece) {
          if (isOver()) return false
          const some = filed.slice(start, start + attachmentsInPiece)
          const made = to === null ? new Set() : await documents.add(message, some, { to, at })
          await documents.follow({
            workspace_id,
            correspondence_id: message_id,
            document_ids: some.flatMap(({ document_id }) => (made.has(document_id) ? [] : [document_id])),
            from,
            to,
            at,
          })
        }
        await lessons.follow(workspace_id, {
          correspondence_id: message_id,
          teaches,
          from: from === to ? null : from,
          to,
        })
        followed = to
      }
    },
  }
}

/** The handler of the job that completes a filing. @param send hands a large filing over to the worker */
export function beaFilingJobs({ isLarge, follow }: BeaFiling, send: SendMessage<Arrival>): JobHandler[] {
  return [
    followBeaFiling.handledBy(async (filing) => {
      const { workspace_id, message_id: id, from, at } = filing
      if (await isLarge(filing)) return send({ workspace_id, id, filing: { from, at } })
      await follow(filing)
    }),
  ]
}
