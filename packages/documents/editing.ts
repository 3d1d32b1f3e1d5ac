import type { Actor } from '#kernel/actor.ts'
import { requireVersion, retryChanged } from '#kernel/changed-meanwhile.ts'
import { timestamp } from '#kernel/clock.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { eraseFiles } from './jobs.ts'
import { keysOf } from './keys.ts'
import { documentEntries } from './new-documents.ts'
import type { DocumentDeps, DocumentRecord } from './ports.ts'
import type { Document, DocumentChanges } from './schema.ts'
import { requireFilename } from './sent-file.ts'
import { documentViews, requireDocument } from './views.ts'

/** Changes the file name and the metadata of a document, or deletes it (D13, G10). */
export function editing({ store, parties, clock }: DocumentDeps) {
  const views = documentViews({ store, parties })

  /**
   * Runs `work` on the version of the document that the precondition has checked. Repeats both if the document changed
   * in between.
   */
  const onCheckedVersion = async <Result>(
    actor: Actor,
    id: string,
    precondition: Precondition<Document>,
    work: (requireSeen: (current: DocumentRecord) => void) => Promise<Result>,
  ): Promise<Result> =>
    retryChanged(async () => {
      const seen = await requireDocument(store, actor.workspace_id, id)
      precondition(await views.view(seen))
      return work((current) => requireVersion(current, seen))
    })

  return {
    /**
     * Changes file name and metadata, with an entry in the timeline of the case.
     *
     * @throws Failure DOCUMENT_NOT_FOUND, PRECONDITION_FAILED, VALIDATION_ERROR for a name that is too long
     */
    async update(
      actor: Actor,
      id: string,
      changes: DocumentChanges,
      precondition: Precondition<Document> = anyState,
    ): Promise<Document> {
      const record = await onCheckedVersion(actor, id, precondition, (requireSeen) =>
        store.change(actor.workspace_id, id, (current) => {
          requireSeen(current)
          const filename =
            changes.filename === undefined
              ? current.filename
              : requireFilename(changes.filename, current.mime_type, 'body.filename')
          const metadata = changes.metadata === undefined ? current.metadata : changes.metadata
          const isRenamed = filename !== current.filename
          if (!isRenamed && JSON.stringify(metadata) === JSON.stringify(current.metadata))
            return { answer: current }
          const summary = isRenamed
            ? `Dokument „${current.filename}“ umbenannt in „${filename}“`
            : `Angaben zu Dokument „${filename}“ geändert`
          const updated_at = timestamp(clock)
          const after = { ...current, filename, metadata, updated_at, version: current.version + 1 }
          return {
            record: after,
            timeline: documentEntries(clock, actor, current, { type: 'document.updated', summary }),
            answer: after,
          }
        }),
      )
      return views.viewWritten(record)
    },

    /**
     * Deletes a document: it leaves lists and search, a job removes its bytes and text, and its record stays for the
     * audit (G13).
     *
     * @throws Failure DOCUMENT_NOT_FOUND, PRECONDITION_FAILED, DOCUMENT_IN_USE if a sent, unfinished envelope needs it
     * (D10)
     */
    remove: (actor: Actor, id: string, precondition: Precondition<Document> = anyState): Promise<void> =>
      onCheckedVersion(actor, id, precondition, (requireSeen) =>
        store.remove(actor.workspace_id, id, (current) => {
          requireSeen(current)
          const summary = `Dokument „${current.filename}“ gelöscht`
          return {
            deleted_at: timestamp(clock),
            timeline: documentEntries(clock, actor, current, { type: 'document.deleted', summary }),
            jobs: [eraseFiles.of({ keys: keysOf(current) })],
            answer: undefined,
          }
        }),
      ),
  }
}
