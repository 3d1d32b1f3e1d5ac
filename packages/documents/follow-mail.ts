import { failureOf } from '#kernel/failure.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { applyRule } from '#timeline/schema.ts'
import type { DocumentChange, DocumentRecord, DocumentStore } from './ports.ts'

/** A mail that was in the case `from` and, since it was filed at `at`, is in the case `to`; null means no case. */
export type FiledMail = { correspondence_id: string; from: string | null; to: string | null; at: string }

/**
 * Puts the attachments of a filed mail into its case. They are part of the mail, so the timeline has only the mail's
 * entry. Documents that do not exist, belong to other mails or lie in a held case are left out. If the case was deleted,
 * all are left out.
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
          if (!leftOut.has(failureOf(error)?.code ?? '')) throw error
        },
      )
    })
}

const leftOut: ReadonlySet<string> = new Set(['DOCUMENT_NOT_FOUND', 'CASE_NOT_FOUND', 'LEGAL_HOLD'])

/**
 * The change by which a document follows its mail; undefined if nothing is left to do. It follows while nobody has
 * assigned it elsewhere: its case was last set by its mail, or somebody put it into the mail's case. An assignment
 * after the filing stays.
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
