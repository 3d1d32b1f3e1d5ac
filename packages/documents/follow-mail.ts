import { failureOf } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { applyRule } from '#timeline/schema.ts'
import type { DocumentChange, DocumentRecord, DocumentStore } from './ports.ts'

/** A mail that was moved from the case `from` to the case `to` at `at`; null means no case. */
export type FiledMail = { correspondence_id: string; from: string | null; to: string | null; at: string }

/**
 * Puts the attachments of a filed mail into its case. They are part of the mail, so the timeline has only the entry of
 * the mail. It skips documents that do not exist, belong to other mails or are in a case on hold. If the case was
 * deleted, it skips all.
 */
export function followMail({ documents }: { documents: Pick<DocumentStore, 'change'> }) {
  return ({
    workspace_id,
    document_ids,
    ...mail
  }: FiledMail & { workspace_id: string; document_ids: string[] }): Promise<void> =>
    inParallel(document_ids, async (id) => {
      await applyRule(documents, workspace_id, id, (current) => followed(current, mail)).catch(
        (error: unknown) => {
          if (!skippedFailures.has(failureOf(error)?.code ?? '')) throw error
        },
      )
    })
}

const skippedFailures: ReadonlySet<string> = new Set(['DOCUMENT_NOT_FOUND', 'CASE_NOT_FOUND', 'LEGAL_HOLD'])

/**
 * The change by which a document follows its mail; undefined if nothing is left to do. It follows in two cases: no user
 * has assigned it since it last followed, or a user assigned it before `at` and it is in the case `from`.
 */
export function followed(
  current: DocumentRecord,
  { correspondence_id, from, to, at }: FiledMail,
): DocumentChange | undefined {
  if (current.correspondence_id !== correspondence_id) return undefined
  const { case_id: assigned, mail } = current.assigned_at
  const isWithMail = assigned === mail
  if (!isWithMail && (current.case_id !== from || (assigned ?? '') > at)) return undefined
  const stamp = assigned !== undefined && assigned > at ? assigned : at
  if (current.case_id === to && isWithMail && assigned === stamp) return undefined
  return {
    record: {
      ...current,
      case_id: to,
      assigned_at: { ...current.assigned_at, case_id: stamp, mail: stamp },
      updated_at: current.case_id === to ? current.updated_at : stamp,
      version: current.version + 1,
    },
  }
}
