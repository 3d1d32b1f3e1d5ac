import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { incomplete } from './announced-uploads.ts'
import { acceptedJobs } from './new-documents.ts'
import type { DocumentDeps } from './ports.ts'
import type { Document } from './schema.ts'
import { documentViews, requireDocument } from './views.ts'

/** Reading documents once more. */
export function readingAgain({ store, parties, budgets, clock }: DocumentDeps) {
  const views = documentViews({ store, parties })

  return {
    /**
     * Enqueues a document to be read again, because it failed or because an earlier release read only a part of its
     * text. It is `pending` and has no text until it is read. If the new reading fails, it has its earlier text again.
     * A pending document does not change.
     *
     * @throws Failure DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE, PRECONDITION_FAILED
     */
    async readAgain(
      actor: Actor,
      id: string,
      precondition: Precondition<Document> = anyState,
    ): Promise<Answered<Document>> {
      const before = await requireDocument(store, actor.workspace_id, id)
      const viewOf = await views.prepareView([before], {})
      precondition(viewOf(before))
      // The other documents of its mail may have used up the reading time that they share.
      if (before.status !== 'pending' && before.correspondence_id !== null)
        await budgets.renew(actor.workspace_id, before.correspondence_id)
      return store.change(actor.workspace_id, id, (current) => {
        precondition(viewOf(current))
        const { sha256, upload_expires_at, status, search_error: _, ...rest } = current
        if (upload_expires_at !== null || sha256 === null) throw incomplete()
        if (status === 'pending') return { answer: viewOf(current) }
        const record = {
          ...rest,
          sha256,
          upload_expires_at,
          status: 'pending' as const,
          status_reason: null,
          extracted_text_length: null,
          page_count: null,
          attempts: 0,
          attempted_at: null,
          updated_at: timestamp(clock),
          version: current.version + 1,
        }
        return { record, jobs: acceptedJobs([record]), answer: viewOf(record) }
      })
    },
  }
}
