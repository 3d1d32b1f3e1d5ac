import { messageFiling } from '#inbox/filing-schema.ts'
import type { Job } from '#jobs/job.ts'
import { derivedIdAt } from '#kernel/id.ts'
import { eebEntries } from '../eeb/eeb-entries.ts'
import type { BeaMessageRecord } from '../ports.ts'
import type { BeaOperation } from '../rights/rights.ts'
import { followBeaFiling, isLargeFiling } from './filing-jobs.ts'
import { namedMessage } from './naming.ts'

/** The job that completes the filing of a message that left the case `from`. */
export function followUps(
  { workspace_id, id }: Pick<BeaMessageRecord, 'workspace_id' | 'id'>,
  from: string | null,
  at: string,
): Job[] {
  return [followBeaFiling.of({ workspace_id, message_id: id, from, at })]
}

/**
 * The changes of a message that is filed, dismissed, reopened or judged (B6, I5, I6). In a case, its attachments have
 * the ids of their documents; a job creates the documents.
 */
export const { filed, assigned, dismissed, reopened, judged } = messageFiling<BeaMessageRecord>({
  type: 'bea',
  ref: 'bea_message',
  named: namedMessage,
  followUps,
  // A sent message has a place in the inbox only for its notice.
  reopened: ({ direction }) => (direction === 'outbound' ? {} : { case_id: null }),
  completed: withDocuments,
  entriesOnEntering: eebEntries,
})

/**
 * The operation of assigning this message (B8). For a confidential message it also needs the right to read it.
 */
export function assigningOf({ confidential }: Pick<BeaMessageRecord, 'confidential'>): BeaOperation {
  return confidential ? 'assign_confidential' : 'assign'
}

/**
 * The message with ids of documents for its attachments; the first filing sets them. The attachments of a confidential
 * message do not become documents: everybody in the office reads documents, but everything derived from a confidential
 * message is confidential (B10).
 */
function withDocuments(message: BeaMessageRecord, before: BeaMessageRecord, at: string): BeaMessageRecord {
  const { case_id, confidential } = message
  const attachments =
    case_id === null || confidential
      ? message.attachments
      : message.attachments.map((attachment) => ({
          ...attachment,
          document_id: attachment.document_id ?? derivedIdAt('document', attachment.id, new Date(at)),
        }))
  const isMoved = case_id !== before.case_id
  const isFiling = isMoved && isLargeFiling(message) && attachments.some(({ document_id }) => document_id)
  return { ...message, attachments, ...(isFiling && { filing: { from: before.case_id, at } }) }
}
